// What the scripts of page.txt find and fill elements with, and ask for.
const $ = (s) => document.querySelector(s);
const $$ = (s) => Array.from(document.querySelectorAll(s));
const fill = (id, text) => {
	const e = document.getElementById(id);
	e.value = text;
	e.dispatchEvent(new Event("input", { bubbles: true }));
};
const link = () => new URLSearchParams(location.hash.slice(1));
const focused = () => {
	const e = document.activeElement;
	return e.ariaLabel || e.id || e.className;
};
const selected = () => {
	const e = document.activeElement;
	return e.value.slice(e.selectionStart, e.selectionEnd);
};
const isTooWide = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
const tops = () => [".lists", "#results", ".options"].map((s) => Math.round($(s).getBoundingClientRect().top));

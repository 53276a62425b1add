// What the tests of pages ask for.
const all = (s) => [...document.querySelectorAll(s)];
const visible = (s) => all(s).filter((e) => e.checkVisibility());
const shown = (s) => visible(s).length;
const text = (s) => all(s).map((e) => e.textContent).join(", ");
const isInside = () => visible("svg").every((e) => e.getBoundingClientRect().width > 0);

// overlaps lists texts of drawings that overlap each other or the edges of the page.
const overlaps = () => visible(".axis").flatMap((axis) => [...axis.querySelectorAll("text")].flatMap((e, i, list) => {
	const r = e.getBoundingClientRect();
	const isOver = (o) => {
		const s = o.getBoundingClientRect();
		return r.left < s.right + 2 && s.left < r.right + 2 && r.top < s.bottom && s.top < r.bottom;
	};
	return list.slice(i + 1).some(isOver) || r.left < 0 || r.right > innerWidth || r.width === 0 ? [e.textContent] : [];
}));

// misplaced lists the ticks whose line in a track is not below the tick's text.
const misplaced = () => all(".timed").flatMap((table) => {
	const texts = [...table.querySelectorAll(".axis text")].map((e) => {
		const r = e.getBoundingClientRect();
		return (r.left + r.right) / 2;
	});
	const lines = [...table.querySelector(".ticks path").getAttribute("d").matchAll(/M([\d.]+)/g)];
	return [...table.querySelectorAll(".track")].flatMap((e) => {
		const r = e.getBoundingClientRect();
		return lines.filter((m, i) => Math.abs(r.left + r.width * m[1] / 100 - texts[i]) > 1).map((m) => m[1]);
	});
});

// faint lists the elements with text of a contrast below 4.5 to 1, as the Web Content
// Accessibility Guidelines count it.
const faint = () => {
	const rgb = (s) => s.match(/[\d.]+/g).map(Number);
	const luminance = (s) => {
		const [r, g, b] = rgb(s).map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const behind = (e) => {
		for (; e; e = e.parentElement) {
			const color = getComputedStyle(e).backgroundColor;
			if (rgb(color)[3] !== 0) return color;
		}
		return "rgb(255, 255, 255)";
	};
	document.querySelectorAll("*").forEach((e) => e.style.setProperty("transition", "none"));
	const hasText = (e) => Array.from(e.childNodes).some((n) => n.nodeType === 3 && n.data.trim());
	return Array.from(document.body.querySelectorAll("*")).filter((e) => hasText(e) && e.checkVisibility()).flatMap((e) => {
		const [a, b] = [luminance(getComputedStyle(e).color), luminance(behind(e))].sort((x, y) => y - x);
		const ratio = (a + 0.05) / (b + 0.05);
		return ratio < 4.5 ? [e.tagName + "." + e.className + " " + ratio.toFixed(2) + " " + e.textContent.slice(0, 30)] : [];
	});
};

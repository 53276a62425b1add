"use strict";

// The page keeps the form and the link in sync, gets the answer to the form from the WebAssembly program, and shows it. All of
// it is shown as text: input never becomes markup.
(() => {
	const $ = (id) => document.getElementById(id);
	const form = $("form");
	const signs = { good: "✓", bad: "✕", mixed: "!", unknown: "?" };
	let sample = ""; // the question whose answer is shown

	// element returns a new element with a class and children, which are elements, texts, or nothing.
	function element(tag, className, ...children) {
		const e = document.createElement(tag);
		if (className) e.className = className;
		e.append(...children.filter((child) => child));
		return e;
	}

	const fields = () => Array.from(form.elements).filter((e) => e.name);
	const valueOf = (e) => (e.type === "checkbox" && !e.checked ? "" : e.value);

	function state() {
		const entries = fields().map((e) => [e.name, valueOf(e)]);
		return Object.fromEntries(entries.filter(([, value]) => value));
	}

	// link returns the fragment that restores the form.
	function link() {
		const params = new URLSearchParams(state());
		if (sample) params.set("sample", sample);
		return "#" + params;
	}

	// time returns the time, in UTC, in the format of an input field, or "" if it is invalid.
	function time(text) {
		const date = new Date(/([zZ]|[+-]\d\d:\d\d)$/.test(text) ? text : text + "Z");
		return isNaN(date) ? "" : date.toISOString().slice(0, 19);
	}

	// read fills the form from the link. Without one, it is the first sample's.
	function read() {
		const link = location.hash || document.querySelector("[data-sample]").hash;
		const params = new URLSearchParams(link.slice(1));
		for (const e of fields()) {
			const value = params.get(e.name) || "";
			if (e.type === "checkbox") e.checked = !["", "0", "false"].includes(value);
			else if (e.name === "arrived") e.value = time(value);
			else if (e.name === "observed") e.value = time(params.has("observed") ? value : new Date().toISOString());
			else if (e.tagName === "SELECT") choose(e, value);
			else e.value = value;
		}
		show(params.get("sample") || "");
		answer();
	}

	// choose selects the value. If the field has no such option, choose adds it, so that the answer describes the problem.
	function choose(select, value) {
		select.querySelector("[data-unknown]")?.remove();
		if (!Array.from(select.options).some((o) => o.value === value)) {
			const option = new Option(value, value);
			option.dataset.unknown = "";
			select.append(option);
		}
		select.value = value;
	}

	// show shows the answer to the sample's question in words.
	function show(id) {
		sample = "";
		for (const note of document.querySelectorAll("[data-note]")) {
			note.hidden = note.dataset.note !== id;
			if (!note.hidden) sample = id;
		}
		for (const a of document.querySelectorAll("[data-sample]")) {
			a.removeAttribute("aria-current");
			if (a.dataset.sample !== sample) continue;
			a.setAttribute("aria-current", "true");
			const row = a.closest("ul");
			row.scrollLeft = a.offsetLeft - row.offsetLeft - 16; // if it scrolls
		}
	}

	// replaced reports whether the sample is gone: the node has none of the taint keys of the sample.
	function replaced(result) {
		const link = document.querySelector(`[data-sample="${sample}"]`).hash;
		const taints = new URLSearchParams(link.slice(1)).get("taints");
		const keys = window.answerTaints({ taints }).taints.map(keyOf);
		return !result.taints.some((t) => keys.includes(keyOf(t)));
	}

	const keyOf = (t) => t.text.split(/[=:]/)[0];

	// replaces reports whether the input will replace the whole text.
	function replaces(event) {
		const area = event.target;
		if (area.tagName !== "TEXTAREA" || !area.value) return false;
		return area.selectionStart === 0 && area.selectionEnd === area.value.length;
	}

	const longest = 2_000_000; // Chromium allows 2 MiB for the whole URL, and other browsers more
	let writing;
	function write() {
		clearTimeout(writing);
		// Browsers limit how often this may be called. If the form is too long for a link, the old link is removed.
		writing = setTimeout(() => history.replaceState(null, "", link().length > longest ? "#" : link()), 200);
	}

	// answer computes the answer to the form and shows it.
	function answer() {
		if (!window.answerTaints) return;
		const result = window.answerTaints(state());
		statement($("placement"), result.placement);
		statement($("eviction"), result.eviction);
		if (sample && replaced(result)) show("");
		problems(result.problems);
		list("taints", result.taints, taint);
		list("tolerations", result.tolerations, toleration);
		$("bar").className = "bar " + result.placement.tone;
		$("bar").textContent = signs[result.placement.tone] + " " + result.brief;
		speak(result.brief);
	}

	function statement(card, s) {
		card.className = "card " + s.tone;
		const sign = element("span", "", signs[s.tone] + " ");
		sign.setAttribute("aria-hidden", "true");
		card.replaceChildren(element("strong", "", sign, s.text), s.detail && element("p", "", s.detail));
	}

	function problems(all) {
		for (const ul of document.querySelectorAll(".problems")) {
			const name = ul.id.slice("problems-".length);
			const own = all.filter((p) => p.field === name);
			$(name).setAttribute("aria-invalid", own.some((p) => !p.note));
			refill(ul, name, own.map((p) => element("li", p.note ? "unknown" : "", p.line && place(p, name, `${p.line}:${p.column}`, `Show line ${p.line}, column ${p.column}`), p.message)));
		}
	}

	// refill replaces the items of a list. If the focus was on one of them, it stays there, or moves to the field if the item is gone.
	function refill(ul, field, items) {
		const button = ul.contains(document.activeElement) && document.activeElement.ariaLabel;
		ul.replaceChildren(...items);
		if (!button) return;
		const same = Array.from(ul.querySelectorAll("button")).find((b) => b.ariaLabel === button);
		(same || $(field)).focus({ preventScroll: true });
	}

	// place returns a button that selects a place in the text of a field.
	function place(at, name, text, label) {
		const button = element("button", "place", text);
		button.type = "button";
		button.setAttribute("aria-label", label);
		button.addEventListener("click", () => {
			const area = $(name);
			area.focus();
			area.setSelectionRange(at.start, at.end);
			area.scrollIntoView({ block: "nearest" });
		});
		return button;
	}

	function list(name, all, item) {
		$("of-" + name).hidden = all.length === 0;
		refill($("list-" + name), name, all.map((one) => element("li", "", ...item(one))));
	}

	function head(field, one, tag) {
		const where = one.line ? place(one, field, one.name, "Show " + one.name) : element("span", "mono", one.name);
		return element("div", "head", element("span", "", where, element("code", "", one.text)), tag);
	}

	const code = (t) => element("span", "", t.name + " ", element("code", "", t.text));

	function taint(t) {
		const closest = t.toleration && t.tone !== "good";
		return [
			head("taints", t, element("span", "tag " + t.tone, signs[t.tone] + " " + t.status)),
			t.toleration && element("p", "", closest ? "Closest: " : "Tolerated by ", code(t.toleration)),
			...[t.why, t.purpose].map((text) => text && element("p", "", text[0].toUpperCase() + text.slice(1) + ".")),
			t.time && element("p", "", "Tolerated " + t.time + ".", t.decides && element("strong", "", " This taint decides when the pod is evicted.")),
		];
	}

	function toleration(t) {
		return [
			head("tolerations", t, t.origin && element("span", "tag unknown", t.origin)),
			t.matches && element("p", "muted", t.matches[0].toUpperCase() + t.matches.slice(1) + "."),
			...t.findings.map((f) => element("p", "finding", element("code", "", f.code), " " + f.advice)),
		];
	}

	// speak has the answer read aloud once typing pauses.
	let speaking;
	function speak(text) {
		clearTimeout(speaking);
		speaking = setTimeout(() => ($("live").textContent = text), 700);
	}

	// edited is called when the form has changed. If answers take long, as for hundreds of entries, it waits for a pause.
	let answering;
	let took = 0;
	function edited() {
		clearTimeout(answering);
		if (took < 50) timed();
		else answering = setTimeout(timed, took);
		write();
	}

	function timed() {
		const start = performance.now();
		answer();
		took = performance.now() - start;
	}

	async function copy() {
		if (link().length > longest) {
			$("copied").textContent = "The form is too large for a link.";
			return;
		}
		history.replaceState(null, "", link());
		try {
			await navigator.clipboard.writeText(location.href);
			$("copied").textContent = "Copied.";
		} catch {
			$("copied").textContent = "The link is in the address bar.";
		}
		setTimeout(() => ($("copied").textContent = ""), 4000);
	}

	function clear() {
		form.reset();
		$("observed").value = time(new Date().toISOString());
		show("");
		edited();
		$("taints").focus();
	}

	function now() {
		$("observed").value = time(new Date().toISOString());
		edited();
	}

	// start loads the WebAssembly program. If that fails, it shows why.
	async function start() {
		const go = new Go();
		let instance;
		try {
			({ instance } = await instantiate("taints.wasm", go.importObject));
		} catch (err) {
			$("loading").textContent = "Could not load the program: " + err.message;
			return;
		}
		go.run(instance).catch(() => {}).then(stopped);
		$("loading").hidden = true;
		$("verdicts").hidden = false;
		$("version").textContent = window.taintsVersion;
		answer();
	}

	// instantiate compiles while it loads, if the server sends the content type.
	async function instantiate(url, imports) {
		const response = await fetch(url);
		if (!response.ok) throw new Error(url + ": " + response.status);
		if (response.headers.get("Content-Type") === "application/wasm") return WebAssembly.instantiateStreaming(response, imports);
		return WebAssembly.instantiate(await response.arrayBuffer(), imports);
	}

	function stopped() {
		delete window.answerTaints;
		$("verdicts").hidden = true;
		$("loading").hidden = false;
		$("loading").textContent = "The program stopped because of a bug. Reload the page; the link keeps what you typed.";
	}

	form.addEventListener("beforeinput", (event) => replaces(event) && show(""));
	form.addEventListener("input", edited);
	form.addEventListener("submit", (event) => event.preventDefault());
	window.addEventListener("hashchange", read);
	$("now").addEventListener("click", now);
	$("copy").addEventListener("click", copy);
	$("clear").addEventListener("click", clear);
	document.querySelector("[data-focus]").addEventListener("click", (event) => {
		event.preventDefault(); // the fragment is the state
		$("taints").focus();
	});
	for (const button of document.querySelectorAll("[data-close]")) {
		button.addEventListener("click", () => {
			show("");
			write();
			$("taints").focus();
		});
	}
	new IntersectionObserver(([entry]) => ($("bar").hidden = entry.isIntersecting)).observe($("results").querySelector("h2"));
	read();
	start();
})();

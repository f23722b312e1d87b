// SPDX-License-Identifier: GPL-2.0-or-later
// Makes the report's tables sortable and its long one searchable. Without this script all is there, in the
// order that tells most.
"use strict";
(() => {
	const live = document.getElementById("live");
	const say = (text) => { live.textContent = text; };
	const order = new Intl.Collator("en", {numeric: true});

	const value = (row, column) => {
		const cell = row.cells[column];

		return "v" in cell.dataset ? parseFloat(cell.dataset.v) : cell.textContent.trim();
	};
	const compare = (a, b) => typeof a === "number" && typeof b === "number" ? a - b : order.compare(String(a), String(b));

	const sort = (table, head, column) => {
		const up = head.getAttribute("aria-sort") === "descending" ||
			(!head.hasAttribute("aria-sort") && !head.classList.contains("n"));
		const body = table.tBodies[0];
		const rows = Array.from(body.rows, (row, i) => ({row, i, value: value(row, column)}));

		rows.sort((a, b) => (up ? compare(a.value, b.value) : compare(b.value, a.value)) || a.i - b.i);
		body.append(...rows.map((r) => r.row));
		for (const other of table.tHead.rows[0].cells)
			other.removeAttribute("aria-sort");
		head.setAttribute("aria-sort", up ? "ascending" : "descending");
		say(`sorted by ${head.textContent.trim()}, ${up ? "rising" : "falling"}`);
	};

	for (const table of document.querySelectorAll("table.sort")) {
		for (const [column, head] of Array.from(table.tHead.rows[0].cells).entries()) {
			const button = document.createElement("button");

			if (head.classList.contains("still"))
				continue;
			button.type = "button";
			button.append(...head.childNodes);
			head.append(button);
			button.addEventListener("click", () => sort(table, head, column));
		}
	}

	for (const table of document.querySelectorAll("table.search")) {
		const box = document.createElement("div");
		const label = document.createElement("label");
		const input = document.createElement("input");
		const found = document.createElement("span");
		const rows = Array.from(table.tBodies[0].rows, (row) => ({row, text: row.textContent.toLowerCase()}));

		box.className = "filter";
		label.textContent = "Show rows with";
		label.htmlFor = input.id = "search-" + table.id;
		input.type = "search";
		found.className = "soft";
		found.setAttribute("role", "status");
		box.append(label, input, found);
		table.closest(".scroll").before(box);
		input.addEventListener("input", () => {
			const wanted = input.value.toLowerCase();
			let n = 0;

			for (const r of rows) {
				r.row.hidden = !r.text.includes(wanted);
				n += !r.row.hidden;
			}
			found.textContent = wanted ? `${n} of ${rows.length}` : "";
		});
	}

	document.documentElement.dataset.enhanced = "yes";
})();

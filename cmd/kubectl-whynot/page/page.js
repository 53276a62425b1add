'use strict';
(() => {
  const all = (selector, within) => [...(within || document).querySelectorAll(selector)];
  const byID = id => document.getElementById(id);
  document.documentElement.classList.add('js');

  // The search hides the rows that do not have its words, in every table.
  const rows = all('tbody tr').map(row => ({row, text: row.textContent.toLowerCase()}));
  const search = byID('search');
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const {row, text} of rows) {
      const has = words.every(word => text.includes(word));
      row.classList.toggle('filtered', !has);
      if (has) found++;
    }
    // A table without rows hides, and so does a section with no other table.
    for (const box of all('.scroll')) {
      const isEmpty = words.length > 0 && !box.querySelector('tbody tr:not(.filtered)');
      box.classList.toggle('filtered', isEmpty);
      box.closest('section').classList.toggle('filtered', isEmpty);
    }
    byID('found').textContent = words.length ? found + ' of ' + rows.length + ' rows' : '';
    document.documentElement.classList.toggle('searching', words.length > 0);
    fold();
  };

  // The matrix shows its first rows and columns until the user requests all. A search covers all of them.
  const table = byID('matrix-table');
  const firstRows = 25, firstColumns = 8;
  let allRows = false, allColumns = false;
  const fold = () => {
    if (!table) return;
    const onlyPending = byID('only-pending').checked, onlyAway = byID('only-away').checked;
    const isSearching = search.value.trim() !== '';
    const heads = all('thead th', table);
    const isCut = [false];
    let columns = 0, rowCount = 0;
    for (const head of heads.slice(1)) {
      const counts = !onlyPending || head.classList.contains('pending');
      isCut.push(!counts || !allColumns && columns >= firstColumns);
      if (counts) columns++;
    }
    for (const row of table.rows) {
      [...row.cells].forEach((cell, i) => cell.classList.toggle('cut', isCut[i]));
    }
    for (const row of table.tBodies[0].rows) {
      const counts = !onlyAway || row.dataset.rejected !== '0';
      row.classList.toggle('cut', !counts || !isSearching && !allRows && rowCount >= firstRows);
      if (counts) rowCount++;
    }
    const shownRows = all('tbody tr:not(.cut):not(.filtered)', table).length;
    const shownColumns = isCut.filter(cut => !cut).length - 1;
    const isAll = shownRows === table.tBodies[0].rows.length && shownColumns === isCut.length - 1;
    byID('folded').textContent = isAll ? '' : 'Shown are ' + shownRows + ' of ' + table.tBodies[0].rows.length +
      ' groups and ' + shownColumns + ' of ' + (isCut.length - 1) + ' kinds of pods.';
    label(byID('more-rows'), allRows, rowCount, firstRows, 'groups');
    label(byID('more-columns'), allColumns, columns, firstColumns, 'kinds of pods');
  };
  const label = (button, isAll, count, first, what) => {
    button.hidden = count <= first;
    button.setAttribute('aria-expanded', isAll);
    button.textContent = isAll ? 'Show the first ' + first + ' ' + what : 'Show all ' + count + ' ' + what;
  };

  const sort = () => {
    const by = byID('sort').value, body = table.tBodies[0];
    const compare = by === 'name'
      ? (a, b) => a.dataset.name.localeCompare(b.dataset.name)
      : (a, b) => b.dataset[by] - a.dataset[by] || b.dataset.nodes - a.dataset.nodes;
    body.append(...[...body.rows].sort(compare));
    fold();
  };

  search.addEventListener('input', filter);
  for (const form of all('form')) form.addEventListener('submit', event => event.preventDefault());
  if (table) {
    for (const id of ['only-pending', 'only-away']) byID(id).addEventListener('change', fold);
    byID('sort').addEventListener('change', sort);
    byID('more-rows').addEventListener('click', () => { allRows = !allRows; fold(); });
    byID('more-columns').addEventListener('click', () => { allColumns = !allColumns; fold(); });
  }

  // Each command has a button that copies it.
  for (const pre of all('td pre')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(pre.textContent);
      } catch { // as on pages of some servers
        getSelection().selectAllChildren(pre);
        document.execCommand('copy');
      }
      button.textContent = 'Copied';
    });
    pre.after(button);
  }

  // Open everything for printing.
  let opened = [];
  addEventListener('beforeprint', () => {
    opened = all('details:not([open])');
    for (const d of opened) d.open = true;
  });
  addEventListener('afterprint', () => { for (const d of opened) d.open = false; });

  // A link may contain a search, as in page.html#q=gpu.
  const fromLink = () => {
    const m = /^#q=(.*)$/.exec(location.hash);
    if (m) search.value = decodeURIComponent(m[1]);
    filter();
  };
  addEventListener('hashchange', fromLink);
  fromLink();
})();

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
  };

  search.addEventListener('input', filter);
  for (const form of all('form')) form.addEventListener('submit', event => event.preventDefault());

  // Each command has a button that copies it.
  for (const pre of all('td pre, .commands pre')) {
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

  // Open everything for printing, except long lists of names.
  let opened = [];
  addEventListener('beforeprint', () => {
    opened = all('details:not([open])').filter(d => all('li', d).length <= 10);
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

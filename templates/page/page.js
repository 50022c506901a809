// The preferences page works without this script. It adds a search for tags, and shows how many postings match while
// the form is changed.

/** Lists the tags whose name contains what is typed, and opens their groups. */
function addSearch(tags) {
  const groups = [...tags.querySelectorAll('details')];
  if (groups.length === 0) return;
  const label = document.createElement('label');
  label.htmlFor = 'find';
  label.textContent = tags.dataset.find;
  const field = Object.assign(document.createElement('input'), { id: 'find', type: 'search' });
  const none = Object.assign(document.createElement('p'), { className: 'hint' });
  none.setAttribute('aria-live', 'polite');
  groups[0].before(label, field, none);

  field.addEventListener('input', () => {
    const wanted = field.value.trim().toLowerCase();
    for (const group of groups) {
      const ticks = [...group.querySelectorAll('.tick')];
      for (const tick of ticks) tick.hidden = !tick.textContent.toLowerCase().includes(wanted);
      group.hidden = ticks.every((tick) => tick.hidden);
      group.open = wanted !== '' && !group.hidden;
    }
    none.textContent = groups.every((group) => group.hidden) ? tags.dataset.none : '';
  });
  // Return would save the form.
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') event.preventDefault();
  });
}

/** Asks how many postings match what the form says now. A failure leaves the figure as it is. */
function keepFigure(form, figure) {
  let timer;
  let request;

  async function show() {
    request?.abort();
    request = new AbortController();
    const { signal } = request;
    const body = new URLSearchParams(new FormData(form));
    body.set('do', 'count');
    try {
      const answer = await fetch(form.action, { method: 'POST', body, signal });
      if (answer.ok) figure.textContent = await answer.text();
    } catch {
      // The next change asks again.
    }
  }

  form.addEventListener('input', ({ target }) => {
    if (target.id === 'find') return;
    clearTimeout(timer);
    timer = setTimeout(show, 400);
  });
}

const form = document.querySelector('.settings');
if (form) {
  addSearch(form.querySelector('#tags'));
  keepFigure(form, form.querySelector('#estimate'));
}

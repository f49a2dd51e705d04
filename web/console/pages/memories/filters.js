import { html, useLayoutEffect, useRef } from '../../html.js';

/**
 * A form of filters that live in the address. Its fields have the names of the query.
 * @param {object} props
 * @param {string} props.label
 * @param {string} props.path of the page
 * @param {URLSearchParams} props.query
 * @param {import('../../section.d.ts').PageProps['link']} props.link
 * @param {import('../../section.d.ts').PageProps['go']} props.go
 * @param {unknown} props.options changes when the fields have other options
 * @param {import('../../html.js').Children} props.children the fields
 */
export function Filters({ label, path, query, link, go, options, children }) {
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  const named = query.toString();

  // The fields are not controlled, so that what is typed stays while the list loads.
  useLayoutEffect(() => {
    for (const field of form.current?.elements ?? []) {
      if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) {
        field.value = query.get(field.name) ?? '';
      }
    }
  }, [named, options]);

  /** @param {SubmitEvent} event */
  function show(event) {
    event.preventDefault();
    if (form.current === null) return;
    /** @type {Record<string, string>} */
    const wanted = {};
    for (const [name, value] of new FormData(form.current)) {
      if (typeof value === 'string') wanted[name] = value.trim();
    }
    go(link(path, wanted));
  }

  return html`
    <form class="card" role="search" aria-label=${label} ref=${form} onSubmit=${show}>
      <div class="filters">
        ${children}
        <button type="submit">Show</button>
      </div>
      ${named !== '' && html`<p class="filters-clear"><a href=${link(path)}>Show all</a></p>`}
    </form>
  `;
}

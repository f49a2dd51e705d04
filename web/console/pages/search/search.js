import { html, useLayoutEffect, useMemo, useRef, useState } from '../../html.js';
import { readAll } from '../../parts/all.js';
import { isDone, problemOf, useAsk } from '../../parts/ask.js';
import { count } from '../../parts/words.js';
import { isFiltered, keyOf, readCriteria, searchBody, searchKeyOf, topOf } from './criteria.js';
import { SearchForm } from './form.js';
import { HitItem } from './hit.js';
import { soughtBy } from './marks.js';
import { NothingFound, NothingStored, WordsOnly } from './notes.js';

/**
 * @typedef {import('./criteria.js').Criteria} Criteria
 * @typedef {import('../../../../shared/schemas/status.ts').Status} Status
 * @typedef {import('../../../../shared/schemas/search.ts').SearchResponse} SearchResponse
 *
 * A search that was answered.
 * @typedef {{ criteria: Criteria, answer: SearchResponse }} Found
 *
 * What the page knows of the Team.
 * @typedef {object} Known
 * @property {Status} status
 * @property {readonly { id: string, name: string }[]} clients
 */

/**
 * Reads what the page must know before it can search.
 * @param {import('../../parts/ask.js').Ask} ask
 * @returns {Promise<Known | string>} a string says why it cannot be read
 */
async function readKnown(ask) {
  const reading = ask('GET', 'memory/status');
  /** @type {Awaited<ReturnType<typeof readAll<Known['clients'][number]>>>} */
  const { items: clients, problem } = await readAll(ask, 'team/clients');
  if (problem !== '') return problem;
  const reply = await reading;
  return isDone(reply) ? { status: reply.answer, clients } : problemOf(reply);
}

const NO_CLIENT = 'There is no such client, or you do not have access to it. Choose where to search.';

/**
 * The page at `/search`.
 * @param {import('../../section.d.ts').PageProps} props
 */
export function Page({ session, team, query, link, go, setTitle, lost }) {
  const ask = useAsk({ session, team, lost });
  const criteria = readCriteria(query);
  const key = keyOf(criteria);
  const [known, setKnown] = useState(/** @type {Known | null} */ (null));
  const [found, setFound] = useState(/** @type {Found | null} */ (null));
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  /** Changes when the same search is made again. */
  const [again, setAgain] = useState(0);
  /** Counts the searches: only the answer to the last one is shown. */
  const searching = useRef(0);
  /** The explanation of the search that is shown, once it was asked for. */
  const explained = useRef(
    /** @type {{ found: Found | null, reading: Promise<import('./why.js').Explained | string> } | null} */ (
      null
    ),
  );
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  /** How many hits were shown before more were asked for. */
  const before = useRef(0);
  const sought = useMemo(() => soughtBy(found?.criteria.q ?? ''), [found?.criteria.q]);
  const href = (/** @type {Partial<Criteria>} */ part) =>
    link('/search', { ...criteria, top: null, ...part });

  async function run() {
    searching.current += 1;
    const mine = searching.current;
    setProblem('');
    setTitle(criteria.q);
    // More passages were asked for by an earlier search, and did not come.
    if (criteria.top === '') before.current = 0;
    if (criteria.q === '') {
      setFound(null);
      setBusy(false);
    } else setBusy(true);
    let facts = known;
    if (facts === null) {
      const read = await readKnown(ask);
      if (typeof read !== 'string') setKnown((facts = read));
      else if (mine === searching.current) fail(read);
    }
    if (mine !== searching.current || facts === null || criteria.q === '') return;
    const isClient = criteria.in !== '' && criteria.in !== 'team';
    if (isClient && !facts.clients.some(({ id }) => id === criteria.in)) return fail(NO_CLIENT);
    const reply = await ask('POST', 'memory/search', searchBody(criteria));
    if (mine !== searching.current) return;
    if (!isDone(reply)) return fail(problemOf(reply));
    setBusy(false);
    setFound({ criteria, answer: reply.answer });
    setTitle(criteria.q);
    if (reply.answer.hits.length > 0) return;
    // What was stored or sent since the page was opened.
    const status = await ask('GET', 'memory/status');
    if (isDone(status)) setKnown({ ...facts, status: status.answer });
  }
  /** @param {string} why */
  function fail(why) {
    setBusy(false);
    // If only more passages of the same search were asked for, those that are there stay.
    setFound((before) =>
      before !== null && searchKeyOf(before.criteria) === searchKeyOf(criteria) ? before : null,
    );
    setProblem(why);
  }
  useLayoutEffect(() => void run(), [ask, key, again]);

  useLayoutEffect(() => {
    // More were asked for: the first of them has the focus, as the button may be gone.
    if (found === null || before.current === 0) return;
    const links = list.current?.querySelectorAll(':scope > li > h2 > a') ?? [];
    const next = links[Math.min(before.current, links.length - 1)];
    before.current = 0;
    if (next instanceof HTMLElement) next.focus();
  }, [found]);

  /**
   * @param {Criteria} wanted
   * @param {boolean} sent
   */
  function search(wanted, sent) {
    const clean = readCriteria(new URLSearchParams(/** @type {Record<string, string>} */ ({ ...wanted })));
    if (keyOf(clean) === key) setAgain(again + 1);
    else go(link('/search', { ...clean }), !sent);
  }
  /** @param {string} next */
  function more(next) {
    before.current = found?.answer.hits.length ?? 0;
    go(link('/search', { ...criteria, top: next }), true);
  }
  /** @returns {Promise<import('./why.js').Explained | string>} */
  async function readWhy() {
    if (found === null || known === null) return '';
    const body = searchBody(found.criteria);
    const reply = await ask('POST', 'memory/search', { ...body, neighbours: 0, explain: true });
    if (!isDone(reply)) return problemOf(reply);
    /** @type {SearchResponse} */
    const { hits, explain } = reply.answer;
    if (explain === undefined) return '';
    return {
      search: explain,
      hits: new Map(
        hits.flatMap((hit) => (hit.explain ? [[hit.chunk_id, { hit, explain: hit.explain }]] : [])),
      ),
    };
  }
  /** One request explains all hits of a search. One that failed is sent again. */
  async function explain() {
    if (explained.current?.found !== found) explained.current = { found, reading: readWhy() };
    const mine = explained.current;
    const read = (await mine?.reading) ?? '';
    if (typeof read === 'string' && explained.current === mine) explained.current = null;
    return read;
  }

  const { now, next } = topOf(criteria);
  const hits = found?.answer.hits ?? [];
  /** What is shown with a hit, such as why it has its place, belongs to one search. */
  const searched = found === null ? '' : searchKeyOf(found.criteria);
  const names = new Map((known?.clients ?? []).map(({ id, name }) => [id, name]));
  const canAdd = team.access !== 'read' && team.state === 'active';
  const isEmpty = known !== null && known.status.sources.active === 0;
  const status =
    criteria.q === '' || problem !== ''
      ? ''
      : busy
        ? 'Searching …'
        : found === null
          ? ''
          : hits.length === 0
            ? 'No passage found'
            : `${count(hits.length, 'passage')}${hits.length > 1 ? ', best first' : ''}`;
  return html`
    <div class="page search">
      <${SearchForm}
        ask=${ask}
        criteria=${criteria}
        clients=${known?.clients ?? []}
        without=${link('/search', { q: criteria.q })}
        busy=${busy}
        search=${search}
      />
      ${known !== null && !isEmpty && html`<${WordsOnly} embedder=${known.status.embedder} degraded=${found?.answer.degraded === true} />`}
      <div class="search-state">
        <p role="status">${status}</p>
        <p role="alert">${problem}</p>
        ${problem !== '' && html`<button type="button" class="small" onClick=${() => setAgain(again + 1)}>Try again</button>`}
      </div>
      ${
        isEmpty && hits.length === 0
          ? html`<${NothingStored} link=${link} canAdd=${canAdd} imports=${known.status.imports} />`
          : found !== null &&
            hits.length === 0 &&
            html`<${NothingFound}
              everywhere=${isFiltered(found.criteria) ? link('/search', { q: found.criteria.q }) : null}
              link=${link}
              imports=${known?.status.imports ?? null}
            />`
      }
      ${
        hits.length > 0 &&
        html`
          <section class="card" aria-label="Passages" aria-busy=${busy ? 'true' : undefined}>
            <ol class="records" ref=${list}>
              ${hits.map(
                (hit) => html`
                  <${HitItem}
                    key=${`${searched} ${hit.chunk_id}`}
                    ask=${ask}
                    hit=${hit}
                    queryId=${found?.answer.queryId}
                    sought=${sought}
                    client=${hit.client_id === null ? null : (names.get(hit.client_id) ?? 'A client')}
                    link=${link}
                    tagLink=${(/** @type {string} */ tag) => href({ tag })}
                    isArchived=${team.state === 'archived'}
                    explain=${team.access === 'full' ? explain : null}
                  />
                `,
              )}
            </ol>
            ${
              hits.length === now &&
              next !== null &&
              html`<div class="list-end">
                <button type="button" class="small" aria-busy=${busy ? 'true' : undefined} onClick=${() => more(next)}>Show more passages</button>
              </div>`
            }
          </section>
        `
      }
    </div>
  `;
}

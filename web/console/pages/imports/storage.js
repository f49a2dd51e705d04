import { html } from '../../html.js';
import { count, size } from '../../parts/words.js';

/** From this share of the quota on, the user is warned. */
const NEARLY = 0.9;

/**
 * What the Team stores, against its quota.
 * @param {object} props
 * @param {{ sources: number, chunks: number, files: number, bytes: number }} props.usage
 * @param {{ chunks: number | null, bytes: number | null } | undefined} props.quota
 * @param {boolean} props.mayChange whether the user can change the quota
 * @param {import('../../section.d.ts').PageProps['link']} props.link
 */
export function Storage({ usage, quota, mayChange, link }) {
  const limits = { chunks: quota?.chunks ?? null, bytes: quota?.bytes ?? null };
  const shares = [shareOf(usage.chunks, limits.chunks), shareOf(usage.bytes, limits.bytes)];
  const most = Math.max(...shares.map((share) => share ?? 0));
  return html`
    <section class="card" aria-labelledby="storage-heading">
      <h2 id="storage-heading">Storage of the Team</h2>
      <div class="imports-meters">
        <${Meter} name="Passages" used=${usage.chunks} limit=${limits.chunks} words=${(/** @type {number} */ n) => n.toLocaleString('en')} />
        <${Meter} name="Space" used=${usage.bytes} limit=${limits.bytes} words=${size} />
      </div>
      ${
        most >= NEARLY &&
        html`<p class="imports-note">
          ${most >= 1 ? 'The quota is used up. Imports fail now' : 'The quota is nearly used up. Beyond it, imports fail'},${' '}
          and can be retried when there is room. Delete sources that are no longer needed, or get a higher quota.
        </p>`
      }
      <p class="quiet">
        In ${count(usage.sources, 'source')} and ${count(usage.files, 'workspace file')}. ${
          mayChange
            ? html`<a href=${link('/company')}>Change the quota</a>`
            : limits.chunks !== null || limits.bytes !== null
              ? 'An Owner of the Company can change the quota.'
              : ''
        }
      </p>
    </section>
  `;
}

/**
 * @param {{ name: string, used: number, limit: number | null, words: (n: number) => string }} props
 */
function Meter({ name, used, limit, words }) {
  const share = shareOf(used, limit);
  return html`
    <div>
      <p class="imports-figure">
        <span>${name}</span>
        <span class="quiet"><strong>${words(used)}</strong>${limit === null ? ', no limit' : ` of ${words(limit)} (${percent(share ?? 0)})`}</span>
      </p>
      ${limit !== null && html`<meter aria-label=${name} min="0" max="1" high=${NEARLY} optimum="0" value=${Math.min(1, share ?? 0)}>${percent(share ?? 0)}</meter>`}
    </div>
  `;
}

/**
 * The share of a quota that is used; null without one.
 * @param {number} used
 * @param {number | null} limit
 */
const shareOf = (used, limit) => (limit === null ? null : limit === 0 ? 1 : used / limit);

/** @param {number} share */
const percent = (share) => (share > 0 && share < 0.01 ? 'less than 1 %' : `${Math.floor(share * 100)} %`);

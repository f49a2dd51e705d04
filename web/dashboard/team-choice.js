import { readValue, storeValue } from '../shared/tab-storage.js';
import { byId, element } from './element.js';

/** The key in this tab's storage for the last Team. */
const KEY = 'dashboard-team';

const select = byId('team');

/** The Team that the address names, as in `#team=<id>`, or null. */
const addressed = () => new URLSearchParams(location.hash.slice(1)).get('team');

/** Which of these Teams to show: the one in the address, the last one of this tab, or the only one; else null. */
export function findTeam(teams) {
  for (const id of [addressed(), readValue(KEY)]) {
    const team = teams.find((candidate) => candidate.id === id);
    if (team !== undefined) return team;
  }
  return teams.length === 1 ? teams[0] : null;
}

/** Stores this Team in the address and in the tab, so that a reload or a copied link shows it again. */
export function rememberTeam({ id }) {
  storeValue(KEY, id);
  if (addressed() !== id) history.replaceState(null, '', `${location.pathname}${location.search}#team=${id}`);
}

/** Lists the Teams. `chosen` is the one that is shown; null asks for a choice. */
export function listTeams(teams, chosen) {
  const wanted = [
    ...(chosen === null ? [['', 'Choose a Team']] : []),
    ...teams.map(({ id, name, state }) => [
      id,
      // Isolation characters, because an option cannot contain a `bdi` element.
      `\u2068${name}\u2069${state === 'archived' ? ' (archived)' : ''}`,
    ]),
  ];
  const now = [...select.options].map((option) => [option.value, option.textContent]);
  if (JSON.stringify(now) !== JSON.stringify(wanted)) {
    select.replaceChildren(...wanted.map(([value, text]) => element('option', { value }, text)));
  }
  select.value = chosen?.id ?? '';
}

/** @param choose is called with the id of the Team that was chosen, here or in the address */
export function onTeamChoice(choose) {
  select.addEventListener('change', () => {
    if (select.value !== '') choose(select.value);
  });
  addEventListener('hashchange', () => {
    const id = addressed();
    if (id !== null) choose(id);
  });
}

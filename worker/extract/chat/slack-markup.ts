/** `<…>` in a message of Slack: a person, a channel, a group, a date or a link, perhaps with a label. */
const REFERENCE = /<([^<>\n]*)>/g;

const ENTITY = /&(amp|lt|gt);/g;
const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>' };

const bare = (address: string) => address.replace(/^(?:mailto|tel):/, '');

function resolveReference(reference: string, names: ReadonlyMap<string, string>): string {
  const bar = reference.indexOf('|');
  const target = bar < 0 ? reference : reference.slice(0, bar);
  const label = bar < 0 ? '' : reference.slice(bar + 1);
  const id = target.slice(1);
  switch (target.charAt(0)) {
    case '@':
      return `@${names.get(id) ?? (label || id)}`;
    case '#':
      return `#${label || id}`;
    case '!':
      return label || `@${id.replace(/^subteam\^/, '')}`;
    default:
      return label === '' || label === bare(target) ? bare(target) : `${label} (${bare(target)})`;
  }
}

/**
 * Replaces the markup of a Slack message by the text that people saw.
 * @param names the names of users, by id
 */
export function resolveSlackMarkup(text: string, names: ReadonlyMap<string, string>): string {
  return text
    .replace(REFERENCE, (_, reference: string) => resolveReference(reference, names))
    .replace(ENTITY, (_, name: string) => CHARACTERS[name] ?? '');
}

/** Takes out of a text what a terminal does not show: colours, titles of windows, letters that were struck over. */

const ESCAPE = '\u001b';
const BELL = '\u0007';
/** The command that begins a command with numbers, in one character and in two. */
const SHORT_CONTROL = '\u009b';
/** What follows the escape character: a command with numbers, or one of a letter (ECMA-48). */
const COMMAND = /^(?:\[[0-?]*[ -/]*[@-~]|[ -/]*[0-~])/;
/** The beginning of a command with a text, which ends with a bell or with escape and a backslash. */
const TEXT_COMMAND = /^[\]PX^_]/;
/** Control characters other than those of lines and columns. NUL is replaced where text is stored. */
const CONTROL = /[\p{Cc}--[\0\t\n\r\f]]/v;
const CONTROLS = /[\p{Cc}--[\0\t\n\r\f]]/gv;

/** What is shown of the text after an escape character, up to the next one. */
function shownAfterEscape(text: string, next: string | undefined): string {
  if (!TEXT_COMMAND.test(text)) return text.replace(COMMAND, '');
  const [line = ''] = text.split('\n', 1);
  const bell = line.indexOf(BELL);
  if (bell !== -1) return text.slice(bell + 1);
  // Without an end, only the sign of the command is left out: the rest could be text.
  return line === text && next?.startsWith('\\') ? '' : text.slice(1);
}

function withoutCommands(text: string): string {
  const [first = '', ...others] = text.replaceAll(SHORT_CONTROL, `${ESCAPE}[`).split(ESCAPE);
  return [first, ...others.map((piece, index) => shownAfterEscape(piece, others[index + 1]))].join('');
}

/** Applies the backspaces of a text: each takes the place of the character before it. */
function withoutBackspaces(text: string): string {
  if (!text.includes('\b')) return text;
  const kept: string[] = [];
  for (const character of text) {
    if (character !== '\b') kept.push(character);
    else if (kept.length > 0 && kept.at(-1) !== '\n') kept.pop();
  }
  return kept.join('');
}

/** The text that a terminal or a printer shows. A page break becomes an empty line. */
export function withoutTerminalCodes(text: string): string {
  const paged = text.includes('\f') ? text.replaceAll('\f', '\n\n') : text;
  return CONTROL.test(paged) ? withoutBackspaces(withoutCommands(paged)).replace(CONTROLS, '') : paged;
}

/* What the declarations of a style mean for the text of an element: whether it can be seen. */

/** That declarations hide or show an element in one of the ways that styles have. */
export interface StyleEffect {
  by: 'display' | 'visibility' | 'position' | 'fading';
  hides: boolean;
  /** Whether it is marked `!important`. */
  important: boolean;
}

/** Only these declarations matter. Without one of them, a style is not parsed. */
const OF_INTEREST = /display|visibility|mso-hide|position|opacity|height/i;
/** A style with more declarations is cut. */
const MAX_DECLARATIONS = 200;
/** An element that is moved by so many pixels is outside of the window. */
const FAR_AWAY = -900;

interface Declared {
  value: string;
  important: boolean;
}

function declarationsOf(style: string): Map<string, Declared> {
  const declarations = new Map<string, Declared>();
  for (const declaration of style.split(';', MAX_DECLARATIONS)) {
    const colon = declaration.indexOf(':');
    if (colon < 0) continue;
    const name = declaration.slice(0, colon).trim().toLowerCase();
    const [value = '', mark] = declaration
      .slice(colon + 1)
      .toLowerCase()
      .split('!', 2);
    const important = mark?.trim() === 'important';
    if (important || declarations.get(name)?.important !== true) {
      declarations.set(name, { value: value.trim(), important });
    }
  }
  return declarations;
}

/** Whether an element that is taken out of the flow is moved away, or cut to nothing, as texts for screen readers are. */
function isMovedAway(declarations: ReadonlyMap<string, Declared>): boolean {
  const position = declarations.get('position')?.value;
  if (position !== 'absolute' && position !== 'fixed') return false;
  const value = (name: string) => declarations.get(name)?.value ?? '';
  const isFar = ['left', 'top', 'right', 'bottom'].some(
    (side) => /^-\d+(?:px|em|rem)$/.test(value(side)) && Number.parseInt(value(side), 10) < FAR_AWAY,
  );
  const isCut =
    /^rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?\s*\)$/.test(value('clip')) ||
    /^inset\(\s*(?:50|100)%\s*\)$/.test(value('clip-path'));
  return isFar || isCut;
}

/** Whether an element has no height and shows nothing that is higher. */
function isFolded(declarations: ReadonlyMap<string, Declared>): boolean {
  const isNothing = (name: string) => /^0(?:px|em|rem|pt|%)?$/.test(declarations.get(name)?.value ?? '');
  return declarations.get('overflow')?.value === 'hidden' && (isNothing('height') || isNothing('max-height'));
}

/** What declarations such as `display: none; color: red` do to what can be seen. */
export function styleEffects(style: string): StyleEffect[] {
  if (!OF_INTEREST.test(style)) return [];
  const declarations = declarationsOf(style);
  const effects: StyleEffect[] = [];
  const display = declarations.get('display');
  const hide = declarations.get('mso-hide');
  // Word writes its own property, which it reads before the one of the standard.
  if (hide?.value === 'all') effects.push({ by: 'display', hides: true, important: hide.important });
  else if (display !== undefined)
    effects.push({ by: 'display', hides: display.value === 'none', important: display.important });
  const visibility = declarations.get('visibility');
  if (visibility !== undefined) {
    const hides = visibility.value === 'hidden' || visibility.value === 'collapse';
    effects.push({ by: 'visibility', hides, important: visibility.important });
  }
  if (isMovedAway(declarations)) effects.push({ by: 'position', hides: true, important: false });
  const opacity = declarations.get('opacity')?.value ?? '';
  const isClear = opacity !== '' && Number(opacity) === 0;
  if (isClear || isFolded(declarations)) effects.push({ by: 'fading', hides: true, important: false });
  return effects;
}

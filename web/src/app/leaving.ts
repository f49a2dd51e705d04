/* What would be lost if the person left: then the browser asks before it leaves the page, and the console before it signs out. */

const reasons = new Set<object>();

addEventListener('beforeunload', (event) => {
  if (losesWork()) event.preventDefault();
});

/** Asks before leaving, as long as this is true. */
export function askBeforeLeaving(owner: object, isNeeded: boolean): void {
  if (isNeeded) reasons.add(owner);
  else reasons.delete(owner);
}

/** Whether something would be lost. */
export const losesWork = () => reasons.size > 0;

// Ages are counted by the clock of the service: that of the reader's device may be minutes off.

let ahead = 0;

/** Learns what time it is for the service, in milliseconds; NaN tells nothing. */
export function setClock(serviceTime) {
  const difference = serviceTime - Date.now();
  // The answer tells whole seconds, and was under way for a while.
  if (Number.isFinite(difference)) ahead = Math.abs(difference) < 2000 ? 0 : difference;
}

/** What time it is for the service, in milliseconds. */
export const serviceNow = () => Date.now() + ahead;

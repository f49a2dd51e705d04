// Ages are computed with the clock of the service, because the clock of the user's device can be wrong by minutes.

let ahead = 0;

/** Sets the time of the service, in milliseconds; NaN is ignored. */
export function setClock(serviceTime) {
  const difference = serviceTime - Date.now();
  // The time in the answer has whole seconds and is some time old, so small differences are ignored.
  if (Number.isFinite(difference)) ahead = Math.abs(difference) < 2000 ? 0 : difference;
}

/** The current time of the service, in milliseconds. */
export const serviceNow = () => Date.now() + ahead;

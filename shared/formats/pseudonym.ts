/**
 * The name of an account whose person was erased: always the same for an account, and made of random digits of its id
 * only, so that it tells nothing of the person. The audit page of the console makes the same one.
 */
export function pseudonymOf(userId: string): string {
  return `Former member ${userId.slice(-6)}`;
}

import { Refusal } from './request.ts';

/** What a form shows at one of its fields. */
export const wrongField = (field: string, message: string) =>
  new Refusal(400, { errors: [{ path: `/${field}`, message }] });

/**
 * Sends a form; refusals with these codes are about one of its fields.
 * @param texts the field, and what to do about it
 */
export async function atField<T>(
  sent: Promise<T>,
  texts: Readonly<Record<string, readonly [field: string, text: string]>>,
): Promise<T> {
  return await sent.catch((error: unknown) => {
    const known = error instanceof Refusal ? texts[error.code] : undefined;
    throw known === undefined ? error : wrongField(...known);
  });
}

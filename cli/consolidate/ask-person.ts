import type { Capture } from '../../shared/schemas/consolidation.ts';
import type { NameLayer } from '../client/layers.ts';
import { ServiceRefusal } from '../client/service-client.ts';
import { CommandError } from '../terminal/command-error.ts';
import { editing } from '../terminal/editor.ts';
import { askTerminal, atTerminal } from '../terminal/prompt.ts';
import { draftOf, parseDraft } from './draft.ts';
import type { Item } from './items.ts';

/** Whether the person can correct the text so that the work succeeds. */
function canCorrect(error: unknown): error is CommandError {
  const isLost = error instanceof ServiceRefusal && error.code === 'batch_expired';
  return error instanceof CommandError && !isLost && atTerminal();
}

/**
 * Lets a person decide in an editor. A text with a fault, or one that the service refuses, is opened again, unless the
 * person gives up. Then what the person wrote is kept in a file.
 * @param complete completes the batch with the items of the person
 * @returns null if nothing was decided
 */
export function askPerson<Value>(
  captures: readonly Capture[],
  nameLayer: NameLayer,
  complete: (items: readonly Item[]) => Promise<Value>,
): Promise<Value | null> {
  const draft = draftOf(captures, nameLayer);
  return editing(draft.text, async (edit) => {
    for (;;) {
      const edited = await edit();
      if (edited === draft.text) return null;
      try {
        const items = parseDraft(edited, draft.marker, captures);
        return items.length === 0 ? null : await complete(items);
      } catch (error) {
        if (!canCorrect(error)) throw error;
        const answer = await askTerminal(`${error.message}. Edit again? [Y/n] `);
        if (answer.trim().toLowerCase().startsWith('n')) throw error;
      }
    }
  });
}

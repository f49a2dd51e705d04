import { newId } from '../../../shared/ids.ts';

/**
 * Where something is planted: `t` the Team that requests name, `u` another Team of its Company, `z` an archived
 * one, `v` everything of another Company.
 */
export type PlaceKey = 't' | 'u' | 'v' | 'z';

/** What is planted. */
export type Thing =
  /** Texts, titles and filenames of the Team layer. */
  | 'layer'
  /** The client that one of the callers can write and another can only read, and all that it holds. */
  | 'client-a'
  /** Every other client, and all that they hold. */
  | 'client-b'
  /** What the Owner or others with Full access capture, and what waits for review, whatever client it is of. */
  | 'backstage'
  /** What three of the callers capture, each for themselves and those with Full access. */
  | 'capture-member'
  | 'capture-granted'
  | 'capture-reading'
  /** What the agent token without clients captures. */
  | 'capture-agent'
  /** Names of agent tokens of the Team. */
  | 'token-name'
  /** The name of an archived client. */
  | 'shelved'
  /** What an archived client holds, */
  | 'shelf'
  /** and the ids and paths of that, which the audit of the Company goes on to name. */
  | 'shelf-ids'
  /** Names and emails of members of the Team. */
  | 'people'
  /** Emails that were invited to the Team. */
  | 'invited'
  | 'team-name'
  /** Texts of queries that were to be stored. */
  | 'search'
  /** Texts of queries that were not. */
  | 'unstored'
  | 'company-name'
  /**
   * Names and emails of members of the Company who are in none of its Teams. The audit of a Team names those who have had a
   * Company grant on it.
   */
  | 'staff'
  /** Emails that were invited to become Company Admins. */
  | 'invitation'
  /** Reasons of access requests, by who asks. */
  | 'reason'
  | 'reason-admin'
  | 'reason-reader'
  | 'reason-full-admin';

const WORD = /canary\.([a-z-]+)\.([tuvz])\.([0-9a-f-]{36})?/g;
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Planted words and ids. Wherever one turns up, it shows its thing and its place. */
export class Canaries {
  private readonly ids = new Map<string, string>();
  /** Tokens and passwords that were in use: none is ever to be seen again. */
  readonly secrets = new Set<string>();

  /** The ids of words that both Companies have: where one turns up, it shows nothing. */
  private readonly shared = new Set<string>();

  /** A new word that both Companies have. What bears it is told by its id only. */
  sharedWord(thing: Thing, place: PlaceKey): string {
    return this.share(this.word(thing, place));
  }

  /** Has a word show nothing from now on, because both Companies have it. */
  share(word: string): string {
    this.shared.add(word.slice(word.lastIndexOf('.') + 1));
    return word;
  }

  /** A new word for what is planted; as good for a text as for the part of an email before its @. */
  word(thing: Thing, place: PlaceKey): string {
    return `canary.${thing}.${place}.${newId()}`;
  }

  /** Records the thing and the place that an id belongs to. */
  mark(id: string, thing: Thing, place: PlaceKey): string {
    this.ids.set(id, `${thing}.${place}`);
    return id;
  }

  secret(text: string): string {
    this.secrets.add(text);
    return text;
  }

  /** The planted words in a text, as `thing.place`. */
  wordsIn(text: string): Set<string> {
    const words = [...text.toLowerCase().matchAll(WORD)];
    const telling = words.filter(([, , , id = '']) => !this.shared.has(id));
    return new Set(telling.map(([, thing, place]) => `${thing}.${place}`));
  }

  /** What a text tells of, by words and by ids, as `thing.place`. */
  toldBy(text: string): Set<string> {
    const told = this.wordsIn(text);
    for (const [id] of text.toLowerCase().matchAll(ID)) {
      const known = this.ids.get(id);
      if (known !== undefined) told.add(known);
    }
    return told;
  }

  /** The secrets that a text holds. */
  secretsIn(text: string): string[] {
    return [...this.secrets].filter((secret) => text.includes(secret));
  }
}

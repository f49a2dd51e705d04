import type { Message } from './record.ts';

/** In which form a record has a message: as an event of the older form, as a completed item, or as an item for the model. */
export type Form = 'event' | 'item' | 'model';

/** How often each message of a turn was met: in each form, and at most in one of them. */
interface Counts {
  forms: Map<string, number>;
  most: Map<string, number>;
}

const noCounts = (): Counts => ({ forms: new Map(), most: new Map() });

/**
 * The messages of one turn of Codex, each of them once, although a record of each form can contain it. What is added
 * only extends what was returned before, so that the list of messages only grows while the file does.
 */
export class CodexTurn {
  #counts = noCounts();
  /** What a person has said in items for the model, until another form or the agent shows whether it counts. */
  #waiting: Message[] = [];
  #hasPerson = false;
  /** Whether the file says where turns start. Files of old versions do not. */
  #hasStarts = false;
  #lastSpeaker: Message['speaker'] | null = null;

  /** Begins a turn. */
  start(): void {
    this.#counts = noCounts();
    this.#waiting = [];
    this.#hasPerson = false;
    this.#hasStarts = true;
  }

  /** Keeps what a person has said in an item for the model. It counts if the agent answers and no other form has come. */
  wait(message: Message): void {
    if (!this.#hasPerson && message.text !== '') this.#waiting.push(message);
  }

  /**
   * Adds what a record contains.
   * @param id of the message in the program; '' if it has none
   * @returns the messages that are new
   */
  add(message: Message, form: Form, id = ''): Message[] {
    if (message.text === '') return [];
    const waited = this.#waiting;
    this.#waiting = [];
    const isPerson = message.speaker === 'Person';
    const said = isPerson || this.#hasPerson ? [] : waited;
    if (said.length > 0) this.#lastSpeaker = 'Person';
    // Without starts of turns, a turn ends with the answer.
    this.#hasPerson = isPerson || (this.#hasPerson && this.#hasStarts);
    return [...said, ...(this.#isNew(message, form, id) ? [message] : [])];
  }

  #isNew({ speaker, text }: Message, form: Form, id: string): boolean {
    // Two forms of one message follow each other, where nothing says that they are of one turn.
    if (!this.#hasStarts && speaker !== this.#lastSpeaker) this.#counts = noCounts();
    this.#lastSpeaker = speaker;
    const keys = [`${speaker} ${text.replaceAll(/\s+/g, ' ')}`, ...(id === '' ? [] : [`id ${id}`])];
    const { forms, most } = this.#counts;
    for (const key of keys) forms.set(`${form} ${key}`, (forms.get(`${form} ${key}`) ?? 0) + 1);
    const isKnown = keys.some((key) => (forms.get(`${form} ${key}`) ?? 0) <= (most.get(key) ?? 0));
    for (const key of keys) most.set(key, Math.max(most.get(key) ?? 0, forms.get(`${form} ${key}`) ?? 0));
    return !isKnown;
  }
}

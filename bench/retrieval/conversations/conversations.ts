import { seededRandom } from '../../../test/support/generated-text.ts';
import { ASIDES, type Fact, GREETINGS, PEOPLE, SUBJECT_KINDS, type SubjectKind, VALUES } from './phrases.ts';

/** Something that was said, and where. */
export interface Turn {
  text: string;
  /** The conversation in which it was said. */
  session: number;
}

/** A question with the turns that answer it together. */
export interface TurnQuestion {
  question: string;
  kind: 'one turn' | 'turn that needs its neighbours' | 'two turns';
  /** Indexes of turns. */
  evidence: number[];
}

/** Long dialogues at work, cut into turns. The turns of a conversation follow each other. */
export interface Conversations {
  titles: string[];
  turns: Turn[];
  questions: TurnQuestion[];
}

const SEED = 2024;
const SESSIONS = 10;
const SUBJECTS = 8;
/** In how many conversations of a pair a subject comes up. */
const MENTIONS = { least: 2, spread: 3 };
/** How many turns go on about a subject that comes up. */
const CHAT = { least: 1, spread: 8 };
const FACTS = 4;
/** How facts are told, in shares. What is left is told with the name of the subject. */
const UNNAMED = 0.15;
const CUED = 0.2;
/** Share of facts whose value changes in a later conversation. */
const CHANGED = 0.2;
/** Share of turns that are followed by a word about something else. */
const ASIDE = 0.3;

/** A turn before it has a place. What belongs together is said without a break. */
interface Planned {
  texts: string[];
  /** The fact that the last of the texts tells, as a key. */
  tells?: string;
}

type Random = ReturnType<typeof drawing>;

/** Makes the conversations, the same at each run. */
export function makeConversations(seed = SEED): Conversations {
  const random = drawing(seed);
  const made: Conversations = { titles: [], turns: [], questions: [] };
  for (const pair of PEOPLE) addPair(made, pair, random);
  return made;
}

function drawing(seed: number) {
  const random = seededRandom(seed);
  const below = (end: number) => Math.floor(random() * end);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;
  const some = <T>(from: readonly T[], count: number): T[] => {
    const left = [...from];
    return Array.from(
      { length: Math.min(count, left.length) },
      () => left.splice(below(left.length), 1)[0] as T,
    );
  };
  return { below, pick, some, chance: (share: number) => random() < share };
}

/** A fact of a subject, with where it is told and what is asked about it. */
interface PlantedFact {
  key: string;
  fact: Fact;
  told: 'named' | 'unnamed' | 'cued';
  value: string;
  session: number;
  change: { key: string; value: string; session: number } | null;
}

function addPair(made: Conversations, pair: readonly [string, string], random: Random): void {
  const first = made.titles.length;
  const sessions: Planned[][][] = Array.from({ length: SESSIONS }, () => []);
  const asked: { questions: Omit<TurnQuestion, 'evidence'>[]; keys: string[][] } = {
    questions: [],
    keys: [],
  };
  const kinds = Array.from(
    { length: SUBJECTS },
    (_, nth) => SUBJECT_KINDS[nth % SUBJECT_KINDS.length] as SubjectKind,
  );
  const names = new Map(SUBJECT_KINDS.map((kind) => [kind, random.some(kind.names, kind.names.length)]));
  for (const kind of kinds) {
    const name = names.get(kind)?.pop() ?? '';
    const mentioned = random
      .some([...sessions.keys()], MENTIONS.least + random.below(MENTIONS.spread))
      .sort((a, b) => a - b);
    const facts = random
      .some(kind.facts, FACTS)
      .map((fact, nth) => plantFact(`${name} ${nth}`, fact, mentioned, random));
    for (const session of mentioned) {
      sessions[session]?.push(planThread(kind, name, facts, session, random));
    }
    askAbout(name, facts, asked, random);
  }
  const told = new Map<string, number>();
  for (const [nth, threads] of sessions.entries()) {
    made.titles.push(`${pair.join(' and ')}, call ${nth + 1}`);
    const planned = [{ texts: [random.pick(GREETINGS)] }, ...threads.flat()];
    let speaker = random.below(2);
    const say = (text: string) => {
      made.turns.push({ text: `${pair[speaker]}: ${text}`, session: first + nth });
      speaker = 1 - speaker;
    };
    for (const { texts, tells } of planned) {
      for (const text of texts) say(text);
      if (tells !== undefined) told.set(tells, made.turns.length - 1);
      if (random.chance(ASIDE)) say(random.pick(ASIDES));
    }
  }
  for (const [index, { question, kind }] of asked.questions.entries()) {
    const evidence = (asked.keys[index] ?? []).map((key) => told.get(key) as number);
    made.questions.push({ question: askOf(pair, question, random), kind, evidence });
  }
}

/** Some questions name the people who talked. */
function askOf(pair: readonly [string, string], question: string, random: Random): string {
  const name = random.pick(pair);
  return random.chance(0.5) ? `According to ${name}: ${question}` : `${question} (${pair.join(', ')})`;
}

function plantFact(key: string, fact: Fact, mentioned: readonly number[], random: Random): PlantedFact {
  const place = random.below(mentioned.length);
  const later = mentioned.slice(place + 1);
  const values = random.some(VALUES[fact.value] ?? [], 2);
  const told = random.chance(UNNAMED) ? 'unnamed' : random.chance(CUED / (1 - UNNAMED)) ? 'cued' : 'named';
  const changes = later.length > 0 && random.chance(CHANGED);
  return {
    key,
    fact,
    told,
    value: values[0] as string,
    session: mentioned[place] as number,
    change: changes
      ? { key: `${key} changed`, value: values[1] as string, session: random.pick(later) }
      : null,
  };
}

/** What is said about a subject in one conversation. */
function planThread(
  kind: SubjectKind,
  name: string,
  facts: readonly PlantedFact[],
  session: number,
  random: Random,
): Planned[] {
  const fill = (text: string, value = '', earlier = '') => {
    const filled = text.replaceAll('{s}', name).replaceAll('{v}', value).replaceAll('{o}', earlier);
    return filled.charAt(0).toUpperCase() + filled.slice(1);
  };
  const chat: Planned[] = random
    .some(kind.chat, CHAT.least + random.below(CHAT.spread))
    .map((text) => ({ texts: [fill(text)] }));
  for (const { key, fact, told, value, change, session: at } of facts) {
    if (at === session) {
      const texts = told === 'cued' ? random.pick(fact.cued) : [random.pick(fact[told])];
      chat.splice(random.below(chat.length + 1), 0, {
        texts: texts.map((text) => fill(text, value)),
        tells: key,
      });
    }
    if (change?.session === session) {
      const text = fill(random.pick(fact.changed), change.value, value);
      chat.splice(random.below(chat.length + 1), 0, { texts: [text], tells: change.key });
    }
  }
  return [{ texts: [fill(random.pick(kind.openings))] }, ...chat];
}

/** Asks for each fact; for a changed one, for both values; and for two facts of the subject at once. */
function askAbout(
  name: string,
  facts: readonly PlantedFact[],
  asked: { questions: Omit<TurnQuestion, 'evidence'>[]; keys: string[][] },
  random: Random,
): void {
  const ask = (kind: TurnQuestion['kind'], question: string, keys: string[]) => {
    asked.questions.push({ kind, question: question.replaceAll('{s}', name) });
    asked.keys.push(keys);
  };
  for (const { key, fact, told, change } of facts) {
    if (change !== null) ask('two turns', fact.askedChange, [key, change.key]);
    else {
      const kind = told === 'named' ? 'one turn' : 'turn that needs its neighbours';
      ask(kind, random.pick(fact.asked), [key]);
    }
  }
  const [one, other] = random.some(facts, 2);
  if (one !== undefined && other !== undefined && random.chance(0.5)) {
    const question = `${random.pick(one.fact.asked)} ${random.pick(other.fact.asked)}`;
    ask('two turns', question, [one.key, other.key]);
  }
}

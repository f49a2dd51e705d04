import { cell, fit, wrap } from '../../cli/terminal/columns.ts';
import type { Hit } from '../../shared/schemas/search.ts';
import type { Chunk } from '../../shared/schemas/sources.ts';
import type { Question } from './questions.ts';

const WIDTH = 80;
const LABEL = 12;
const BAR = 30;

/** Says what happens, for a person, in 80 columns. */
export interface Report {
  /** A fact with its label. A long one goes on below. */
  fact(label: string, text: string): void;
  /** What became of a document. */
  stored(what: string, name: string, outcome: string): void;
  /** How far a step has come. In a terminal the line is drawn over; elsewhere only its end is printed. */
  progress(label: string, done: number, total: number): void;
  /** A question with its best hits. */
  answer(question: Question, answer: { hits: readonly Hit[]; degraded: boolean }): void;
  /** A hit with its neighbours in the document. */
  expanded(hit: Hit, chunks: readonly Chunk[]): void;
}

/** A report to a stream. */
export function reportTo(out: NodeJS.WriteStream): Report {
  const drawn = out.isTTY;
  let open = false;
  const clear = () => {
    if (open) out.write(`\r${' '.repeat(WIDTH - 1)}\r`);
    open = false;
  };
  const print = (line: string) => {
    clear();
    out.write(`${line.trimEnd()}\n`);
  };
  const below = (text: string, indent: number, lines: number) => {
    for (const line of wrap(text, WIDTH - indent, lines)) print(' '.repeat(indent) + line);
  };
  return {
    fact: (label, text) => {
      const [first = '', ...more] = wrap(text, WIDTH - LABEL, 4);
      print(cell(label, LABEL) + first);
      for (const line of more) print(' '.repeat(LABEL) + line);
    },
    stored: (what, name, outcome) => {
      print(cell(what, LABEL) + cell(name, 40) + fit(` ${outcome}`, WIDTH - LABEL - 40));
    },
    progress: (label, done, total) => {
      const full = total === 0 ? BAR : Math.round((done / total) * BAR);
      const line = `${cell(label, LABEL)}[${'#'.repeat(full)}${' '.repeat(BAR - full)}] ${done} of ${total}`;
      if (done === total) print(line);
      else if (drawn) {
        clear();
        out.write(line);
        open = true;
      }
    },
    answer: (question, { hits, degraded }) => {
      print('');
      for (const [index, line] of wrap(question.text, WIDTH - 2, 3).entries()) {
        print(`${index === 0 ? '?' : ' '} ${line}`);
      }
      if (question.shows !== null) below(`(${question.shows})`, 2, 2);
      if (degraded) print('  the service could not embed the question: keywords alone');
      if (hits.length === 0) print('  nothing found');
      for (const [index, hit] of hits.entries()) {
        print(`  ${index + 1}  ${cell(hit.title, 34)} ${figures(hit)}`);
        if (index === 0) below(hit.text, 5, 2);
      }
    },
    expanded: (hit, chunks) => {
      print('');
      print(fit(`Around that hit in ${hit.title}:`, WIDTH));
      for (const chunk of chunks) {
        print('');
        const mark = chunk.chunk_id === hit.chunk_id ? '>' : ' ';
        for (const line of wrap(chunk.text, WIDTH - 5, 3)) print(`  ${mark}  ${line}`);
      }
    },
  };
}

/** Score and both ranks; `-` where that leg did not find it. */
function figures(hit: Hit): string {
  const rank = (place: number | null) => String(place ?? '-').padStart(2);
  return `score ${hit.score.toFixed(2).padStart(6)}  meaning ${rank(hit.semantic_rank)}  words ${rank(hit.keyword_rank)}`;
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WriteStream } from 'node:tty';
import { showProgress } from '../../../worker/embedder/fetch-progress.ts';

/** What a terminal of so many columns shows: one that is drawn over shows the last. */
function terminal(columns: number) {
  const lines: string[] = [];
  let line = '';
  const out = {
    isTTY: true,
    columns,
    cursorTo: () => true,
    clearLine: () => {
      line = '';
      return true;
    },
    write: (text: string) => {
      line += text;
      if (text === '\n') {
        lines.push(line.trimEnd());
        line = '';
      }
      return true;
    },
  };
  return { out: out as unknown as WriteStream, shown: () => [...lines, line] };
}

const half = { file: 'onnx/model_quantized.onnx', bytes: 250, total: 550, allBytes: 3e8, allTotal: 6e8 };

describe('the progress of fetching a model', () => {
  it('is a bar that is redrawn in a terminal', () => {
    const { out, shown } = terminal(100);
    const { report, end } = showProgress(out);
    report({ ...half, allBytes: 0 });
    report(half);
    const bar = `[${'#'.repeat(12)}${' '.repeat(12)}]`;
    assert.deepEqual(shown(), [`${bar}  50 %  300.0 MB of 600.0 MB  onnx/model_quantized.onnx`]);
    end();
    end();
    assert.equal(shown().length, 2);
  });

  it('fits on one line of a narrow terminal', () => {
    const { out, shown } = terminal(40);
    showProgress(out).report(half);
    assert.equal(shown().join('').length, 39);
  });

  it('shows what has arrived if the total is unknown', () => {
    const { out, shown } = terminal(100);
    showProgress(out).report({ ...half, total: null, allTotal: null });
    assert.deepEqual(shown(), [`[${' '.repeat(24)}] 300.0 MB  onnx/model_quantized.onnx`]);
  });
});

import { html } from '../html.js';

/** The elements of the page of jobs, by the ids that the board fills. */
export const JobsContent = () => html`
  <div id="figures">
    <section class="health" id="health" data-state="unknown" aria-label="Health">
      <p id="health-line" role="status"></p>
      <p id="health-hint"></p>
      <p id="silence" role="status"></p>
      <p class="updated">Figures of <time id="updated">…</time></p>
      <p id="news" class="unseen" role="status"></p>
    </section>
    <p id="archived" class="notice" hidden>This Team is archived: it can be read, and nothing in it can be changed.</p>

    <div class="columns">
      <section class="card" aria-labelledby="imports-heading">
        <h2 id="imports-heading">Imports</h2>
        <dl class="tiles">
          <div><dt>Queued</dt><dd id="imports-queued">–</dd></div>
          <div><dt>Running</dt><dd id="imports-running">–</dd></div>
          <div><dt>Completed</dt><dd id="imports-completed">–</dd></div>
          <div id="imports-failed-tile"><dt>Failed</dt><dd id="imports-failed">–</dd></div>
        </dl>
        <h3>Running now</h3>
        <ul id="running" class="runs"></ul>
        <p id="running-rest" class="quiet"></p>
        <div id="plots" class="plots"></div>
      </section>

      <div class="stack">
        <section class="card" aria-labelledby="embeddings-heading">
          <h2 id="embeddings-heading">Embeddings</h2>
          <p id="backlog-line">–</p>
          <progress id="embedded" max="1" value="0" aria-label="Passages with an embedding"></progress>
          <dl class="pairs">
            <div><dt>Rate</dt><dd id="backlog-rate">–</dd></div>
            <div><dt>Time left</dt><dd id="backlog-left">–</dd></div>
          </dl>
          <p id="embedder" class="quiet"></p>
          <p id="outdated" class="quiet" hidden></p>
        </section>
        <section class="card" aria-labelledby="captures-heading">
          <h2 id="captures-heading">Captures and memories</h2>
          <dl class="pairs">
            <div><dt>Captures staged</dt><dd id="captures-staged">–</dd></div>
            <div><dt>Captures claimed</dt><dd id="captures-claimed">–</dd></div>
            <div><dt>Captures completed</dt><dd id="captures-completed">–</dd></div>
            <div><dt>Memories waiting for review</dt><dd id="memories-review">–</dd></div>
            <div><dt>Memories published</dt><dd id="memories-published">–</dd></div>
          </dl>
        </section>
      </div>
    </div>

    <section class="card" aria-labelledby="failed-heading">
      <div class="bar">
        <h2 id="failed-heading" tabindex="-1">Failed imports</h2>
        <button id="retry-all" type="button" class="small" hidden>Retry all</button>
      </div>
      <p id="outcome" role="status"></p>
      <p id="failed-none" class="quiet">–</p>
      <table id="failed-table" class="stacked failed" role="table" aria-labelledby="failed-heading" hidden>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">File</th>
            <th role="columnheader" scope="col">Reason</th>
            <th role="columnheader" scope="col" class="number">Attempts</th>
            <th role="columnheader" scope="col">Failed</th>
            <th role="columnheader" scope="col">File kept</th>
            <th role="columnheader" scope="col"><span class="unseen">What can be done</span></th>
          </tr>
        </thead>
        <tbody id="failed-rows" role="rowgroup"></tbody>
      </table>
      <p class="bar">
        <span id="failed-shown" class="quiet"></span>
        <button id="more" type="button" class="small" hidden>Show more</button>
      </p>
    </section>

    <section class="card" aria-labelledby="jobs-heading">
      <h2 id="jobs-heading">Jobs</h2>
      <p id="jobs-none" class="quiet" hidden>Jobs are shown to those with Full access to the Team.</p>
      <table id="jobs" class="stacked jobs" role="table" aria-labelledby="jobs-heading">
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">Queue</th>
            <th role="columnheader" scope="col" class="number">Ready</th>
            <th role="columnheader" scope="col" class="number">Deferred</th>
            <th role="columnheader" scope="col" class="number">Active</th>
            <th role="columnheader" scope="col" class="number">Failed</th>
            <th role="columnheader" scope="col" class="number">Done a minute</th>
            <th role="columnheader" scope="col">Oldest waits</th>
            <th role="columnheader" scope="col">Ready, last hour</th>
            <th role="columnheader" scope="col">Done, last hour</th>
          </tr>
        </thead>
        <tbody id="queue-rows" role="rowgroup"></tbody>
      </table>
    </section>

    <section class="card" aria-labelledby="workers-heading">
      <h2 id="workers-heading">Workers</h2>
      <p id="workers-none" class="quiet">–</p>
      <table id="workers-table" class="stacked workers" role="table" aria-labelledby="workers-heading" hidden>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">Worker</th>
            <th role="columnheader" scope="col">Last heartbeat</th>
            <th role="columnheader" scope="col">Running for</th>
            <th role="columnheader" scope="col" class="number">Memory</th>
            <th role="columnheader" scope="col">Queues</th>
          </tr>
        </thead>
        <tbody id="worker-rows" role="rowgroup"></tbody>
      </table>
    </section>
  </div>
  <dialog id="forget" aria-labelledby="forget-heading" aria-describedby="forget-text">
    <h2 id="forget-heading">Forget this import?</h2>
    <p id="forget-text"><bdi id="forget-name"></bdi> leaves the list, and its file is deleted. To import it later, it has to be sent again.</p>
    <form method="dialog" class="bar">
      <button id="forget-keep" type="button" class="small">Keep it</button>
      <button id="forget-confirm" type="button" class="small danger">Forget it</button>
    </form>
  </dialog>
`;

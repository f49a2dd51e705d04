/** What a scenario gets from the runner. */
export interface ScenarioContext {
  /** Aborted when the scenario's time is over, and on Ctrl-C. */
  readonly signal: AbortSignal;
  /** Seed of everything random in the scenario, so that a run can be repeated. */
  readonly seed: number;
  /** How long the soak runs. */
  readonly soakSeconds: number;
  /** URL of a PostgreSQL server on which the scenario can create its own database. Starts the server on first use. */
  postgresUrl(): Promise<string>;
  /** Crashes that server and starts it again after 10 seconds. Null where the server belongs to someone else. */
  readonly crashPostgres: (() => Promise<void>) | null;
  /** Runs after the scenario however it ends, last one first. */
  defer(cleanup: () => unknown): void;
}

/** One fault or kind of load, and the outcome that the service promises for it. */
export interface Scenario {
  /** Its name on the command line. */
  readonly name: string;
  /** What it does and requires, in one line. */
  readonly summary: string;
  /** The scenario is broken if it has not ended after this time. */
  readonly limitSeconds: number;
  /** Whether the time of the soak comes on top of that. */
  readonly isSoak?: boolean;
  /** What it finds until its time is over counts, even if it does not finish. */
  run(context: ScenarioContext, findings: Findings): Promise<void>;
}

/** Thrown by a scenario that cannot run on this machine. The message says why. */
export class Skipped extends Error {}

/** The result of a scenario. It held if nothing is broken. */
export class Findings {
  /** What was measured, for people: nothing is decided by it. */
  readonly figures: string[] = [];
  /** One sentence for each promise that was not kept. */
  readonly broken: string[] = [];

  figure(text: string): void {
    this.figures.push(text);
  }

  /** Notes a broken promise, unless the condition holds. */
  expect(holds: boolean, otherwise: string): void {
    if (!holds) this.broken.push(otherwise);
  }
}

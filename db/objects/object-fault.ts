/**
 * Why an object could not be read or written. `unavailable`: the bucket did not answer in time, or could not. `refused`: it
 * does not exist, or does not accept the credentials. `missing`: the object does not exist. `damaged`: its bytes are not
 * those that were stored.
 */
export type FaultReason = 'unavailable' | 'refused' | 'missing' | 'damaged';

/** Whether an error concerns only one object, so that others can be read. */
export const isBadObject = (error: unknown): error is ObjectFault =>
  error instanceof ObjectFault && (error.reason === 'missing' || error.reason === 'damaged');

/**
 * A request to the bucket failed. The message has no credential and no content. It does not have the error of the client as its cause,
 * because it can contain the key with which a request was signed.
 */
export class ObjectFault extends Error {
  override name = 'ObjectFault';
  readonly reason: FaultReason;
  /** The name of the error in the interface of S3, if it has one. */
  readonly errorName: string | undefined;

  constructor(reason: FaultReason, message: string, errorName?: string) {
    super(message);
    this.reason = reason;
    this.errorName = errorName;
  }
}

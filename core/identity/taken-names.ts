import { ServiceError } from '../../shared/errors.ts';

/** The refusal of a name that another Team of the Company has. */
export function teamNameTaken(): ServiceError {
  return new ServiceError('conflict', 'Another Team of the Company has this name, maybe an archived one');
}

/** The refusal of a name that another active client of the Team has. */
export function clientNameTaken(): ServiceError {
  return new ServiceError('conflict', 'Another client of the Team has this name');
}

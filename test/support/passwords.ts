import { createPasswordHasher, type PasswordHasher } from '../../shared/passwords.ts';

/**
 * Hashes that take a hundredth of the time of the service's own, of which tests make thousands. What the service's own
 * cost is tested in `test/unit/passwords.test.ts`.
 */
export function createCheapHasher(cores?: number): PasswordHasher {
  return createPasswordHasher(cores, { memoryCost: 64, timeCost: 2 });
}

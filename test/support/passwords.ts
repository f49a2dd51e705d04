import { createPasswordHasher, type PasswordHasher } from '../../shared/passwords.ts';

/**
 * Hashes passwords in a hundredth of the time that the service takes, because tests make thousands of hashes. The
 * service's own cost is tested in `test/unit/passwords.test.ts`.
 */
export function createCheapHasher(cores?: number): PasswordHasher {
  return createPasswordHasher(cores, { memoryCost: 64, timeCost: 2 });
}

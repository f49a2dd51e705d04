import { testAccess } from './matrix/test-access.ts';

await testAccess('taken');

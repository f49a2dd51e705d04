/** Made by the service, so that the console words a place as the terminal client does. */
export { placeParts } from '../../../shared/schemas/sources.ts';

import type { Place, PlacePart } from '../../../shared/schemas/sources.ts';

/** Made by the service, so that the console words a place as the terminal client does. */
export declare function placeParts(place: Place): PlacePart[];

export { CommandLine } from '../parts/copy.js';

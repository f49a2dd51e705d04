/*
 * For client.tsconfig.json: the types of the oldest Node on which the terminal client runs, wherever types of Node are
 * asked for.
 */
/// <reference path="../../node_modules/node-20-types/index.d.ts" />

/*
 * For client.tsconfig.json: the types of the oldest Node on which the terminal client runs, wherever types of Node are
 * asked for.
 */
/// <reference path="../../../node_modules/@types/node-20/index.d.ts" />

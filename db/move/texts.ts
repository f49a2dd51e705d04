/**
 * Settings of a transaction that reads or writes values as texts: the same text stands for the same value on both sides.
 * Names are written with their schema. Row-level security that would hide rows fails instead. Nothing has a time limit.
 */
export const TEXTS = [
  'search_path = pg_catalog',
  'row_security = off',
  `timezone = 'UTC'`,
  `datestyle = 'ISO, YMD'`,
  `intervalstyle = 'postgres'`,
  `bytea_output = 'hex'`,
  'extra_float_digits = 1',
  'statement_timeout = 0',
  'lock_timeout = 0',
  'idle_in_transaction_session_timeout = 0',
  'transaction_timeout = 0',
  'jit = off',
]
  .map((setting) => `set local ${setting}`)
  .join('; ');

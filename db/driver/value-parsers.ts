import pg from 'pg';

/**
 * How values are read from both kinds of database: int8 and numeric as number, also in arrays. All other types are read
 * as the driver reads them: bytea as Buffer, timestamptz as Date, jsonb parsed, uuid as string.
 */
const INT8 = 20;
const INT8_ARRAY = 1016;
const NUMERIC = 1700;
const NUMERIC_ARRAY = 1231;
export const types = new pg.TypeOverrides();
types.setTypeParser(INT8, Number);
types.setTypeParser(NUMERIC, Number);
// The declared type of the parser is wrong: its argument is the text of the value.
types.setTypeParser(INT8_ARRAY, types.getTypeParser(NUMERIC_ARRAY) as unknown as (text: string) => number[]);

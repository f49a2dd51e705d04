/**
 * Writes an ONNX file by hand: the few messages of onnx.proto (https://github.com/onnx/onnx, `onnx/onnx.proto`)
 * that a small graph needs, in protobuf's wire format. The numbers below are field numbers of that file.
 */

const elementTypes = { float: 1, int8: 3, int64: 7 } as const;
const attributeTypes = { int: 2, string: 3, tensor: 4, ints: 7 } as const;

export type AttributeValue = number | string | readonly number[] | OnnxTensor;
export interface OnnxTensor {
  /** None for a single number. */
  dims: number[];
  /** A list of bytes is one int8 tensor in pieces, which are written one after the other and never joined. */
  data: Float32Array | BigInt64Array | Int8Array | readonly Uint8Array[];
}
export interface OnnxValue {
  name: string;
  type: keyof typeof elementTypes;
  /** A number is a fixed size, a string a size of that name known only when it runs. */
  dims: (number | string)[];
}

/** Collects a graph and writes it. Every operation returns the name of its output. */
export class OnnxGraph {
  readonly #nodes: Uint8Array[] = [];
  readonly #initializers: Uint8Array[][] = [];
  #count = 0;

  /** A constant tensor stored in the file. */
  constant(tensor: OnnxTensor): string {
    const name = `c${this.#count++}`;
    this.#initializers.push(inPieces(5, [...tensorPieces(tensor), text(8, name)]));
    return name;
  }

  /** A constant int64 vector, as for shapes and indices. */
  integers(...values: (number | bigint)[]): string {
    return this.constant({ dims: [values.length], data: BigInt64Array.from(values, BigInt) });
  }

  /** One operation of the standard set; `output` only to name the graph's own output. */
  add(
    operation: string,
    inputs: string[],
    attributes: Record<string, AttributeValue> = {},
    output?: string,
  ): string {
    const name = output ?? `n${this.#count++}`;
    this.#addNode(operation, inputs, [name], attributes);
    return name;
  }

  /** One operation that has several outputs, and their names in the order of the operation's description. */
  addWithOutputs(
    operation: string,
    inputs: string[],
    outputs: number,
    attributes: Record<string, AttributeValue> = {},
  ): string[] {
    const names = Array.from({ length: outputs }, () => `n${this.#count++}`);
    this.#addNode(operation, inputs, names, attributes);
    return names;
  }

  #addNode(
    operation: string,
    inputs: string[],
    outputs: string[],
    attributes: Record<string, AttributeValue>,
  ): void {
    const fields = [...inputs.map((input) => text(1, input)), ...outputs.map((output) => text(2, output))];
    fields.push(text(4, operation));
    for (const [key, value] of Object.entries(attributes)) fields.push(attribute(key, value));
    this.#nodes.push(message(1, ...fields));
  }

  /** The bytes of the whole model file. */
  toModel(...model: Parameters<OnnxGraph['toPieces']>): Uint8Array {
    return Buffer.concat(this.toPieces(...model));
  }

  /** The same in pieces to be written one after the other: a large model need not be in memory as a whole. */
  toPieces(name: string, opset: number, inputs: OnnxValue[], outputs: OnnxValue[]): Uint8Array[] {
    const graph = inPieces(7, [
      ...this.#nodes,
      text(2, name),
      ...this.#initializers.flat(),
      ...inputs.map((value) => valueInfo(11, value)),
      ...outputs.map((value) => valueInfo(12, value)),
    ]);
    return [integer(1, 8), ...graph, message(8, text(1, ''), integer(2, opset))];
  }
}

function attribute(name: string, value: AttributeValue): Uint8Array {
  if (typeof value === 'number') {
    return message(5, text(1, name), integer(3, value), integer(20, attributeTypes.int));
  }
  if (typeof value === 'string') {
    return message(5, text(1, name), text(4, value), integer(20, attributeTypes.string));
  }
  if (!('dims' in value)) {
    return message(
      5,
      text(1, name),
      ...value.map((each) => integer(8, each)),
      integer(20, attributeTypes.ints),
    );
  }
  return message(5, text(1, name), message(5, ...tensorPieces(value)), integer(20, attributeTypes.tensor));
}

function tensorPieces({ dims, data }: OnnxTensor): Uint8Array[] {
  const raw = 'buffer' in data ? [new Uint8Array(data.buffer, data.byteOffset, data.byteLength)] : [...data];
  return [...dims.map((dim) => integer(1, dim)), integer(2, elementType(data)), ...inPieces(9, raw)];
}

function elementType(data: OnnxTensor['data']): number {
  if (data instanceof Float32Array) return elementTypes.float;
  return data instanceof BigInt64Array ? elementTypes.int64 : elementTypes.int8;
}

function valueInfo(field: number, { name, type, dims }: OnnxValue): Uint8Array {
  const shape = dims.map((dim) => message(1, typeof dim === 'number' ? integer(1, dim) : text(2, dim)));
  const tensorType = message(1, integer(1, elementTypes[type]), message(2, ...shape));
  return message(field, text(1, name), message(2, tensorType));
}

function message(field: number, ...parts: Uint8Array[]): Uint8Array {
  return Buffer.concat(inPieces(field, parts));
}

function text(field: number, value: string): Uint8Array {
  return message(field, Buffer.from(value));
}

/** A field of bytes, a message among them, whose content is the pieces in their order. */
function inPieces(field: number, pieces: readonly Uint8Array[]): Uint8Array[] {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return [varint(field * 8 + 2), varint(length), ...pieces];
}

function integer(field: number, value: number): Uint8Array {
  return Buffer.concat([varint(field * 8), varint(value)]);
}

/** Seven bits a byte, lowest first. Negative numbers never occur here. */
function varint(value: number): Uint8Array {
  const result: number[] = [];
  let rest = value;
  while (rest >= 128) {
    result.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return Uint8Array.from([...result, rest]);
}

/**
 * Writes an ONNX file by hand: the few messages of onnx.proto (https://github.com/onnx/onnx, `onnx/onnx.proto`)
 * that a small graph needs, in protobuf's wire format. The numbers below are field numbers of that file.
 */

const elementTypes = { float: 1, int64: 7 } as const;
const attributeTypes = { int: 2, string: 3, tensor: 4 } as const;

export type AttributeValue = number | string | OnnxTensor;
export interface OnnxTensor {
  dims: number[];
  data: Float32Array | BigInt64Array;
}
export interface OnnxValue {
  name: string;
  type: keyof typeof elementTypes;
  /** A number is a fixed size, a string a size of that name known only when it runs. */
  dims: (number | string)[];
}

/** Collects a graph and writes it. Every operation gives back the name of its one output. */
export class OnnxGraph {
  readonly #nodes: Uint8Array[] = [];
  readonly #initializers: Uint8Array[] = [];
  #count = 0;

  /** A constant tensor stored in the file. */
  constant(tensor: OnnxTensor): string {
    const name = `c${this.#count++}`;
    this.#initializers.push(message(5, tensorMessage(tensor), text(8, name)));
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
    const fields = [...inputs.map((input) => text(1, input)), text(2, name), text(4, operation)];
    for (const [key, value] of Object.entries(attributes)) fields.push(attribute(key, value));
    this.#nodes.push(message(1, ...fields));
    return name;
  }

  /** The bytes of the whole model file. */
  toModel(name: string, opset: number, inputs: OnnxValue[], outputs: OnnxValue[]): Uint8Array {
    const graph = message(
      7,
      ...this.#nodes,
      text(2, name),
      ...this.#initializers,
      ...inputs.map((value) => valueInfo(11, value)),
      ...outputs.map((value) => valueInfo(12, value)),
    );
    return Buffer.concat([integer(1, 8), graph, message(8, text(1, ''), integer(2, opset))]);
  }
}

function attribute(name: string, value: AttributeValue): Uint8Array {
  if (typeof value === 'number') {
    return message(5, text(1, name), integer(3, value), integer(20, attributeTypes.int));
  }
  if (typeof value === 'string') {
    return message(5, text(1, name), text(4, value), integer(20, attributeTypes.string));
  }
  return message(5, text(1, name), message(5, tensorMessage(value)), integer(20, attributeTypes.tensor));
}

function tensorMessage({ dims, data }: OnnxTensor): Uint8Array {
  const type = data instanceof Float32Array ? elementTypes.float : elementTypes.int64;
  const raw = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return Buffer.concat([...dims.map((dim) => integer(1, dim)), integer(2, type), bytes(9, raw)]);
}

function valueInfo(field: number, { name, type, dims }: OnnxValue): Uint8Array {
  const shape = dims.map((dim) => message(1, typeof dim === 'number' ? integer(1, dim) : text(2, dim)));
  const tensorType = message(1, integer(1, elementTypes[type]), message(2, ...shape));
  return message(field, text(1, name), message(2, tensorType));
}

function message(field: number, ...parts: Uint8Array[]): Uint8Array {
  return bytes(field, Buffer.concat(parts));
}

function text(field: number, value: string): Uint8Array {
  return bytes(field, Buffer.from(value));
}

function bytes(field: number, value: Uint8Array): Uint8Array {
  return Buffer.concat([varint(field * 8 + 2), varint(value.length), value]);
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

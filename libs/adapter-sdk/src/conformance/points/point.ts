import type { Kit } from '../kit.js';

/** One of the fifteen points of the contract. Its checks are named `<number>.<name>`. */
export interface Point {
  number: number;
  title: string;
  run(kit: Kit): Promise<void>;
}

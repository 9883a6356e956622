import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { Problem } from './problem.js';

const maxDepth = 100;

/** Refuses bodies nested so deeply that code that walks them would overflow the stack. */
@Injectable()
export class BoundedDepthPipe implements PipeTransform {
  transform(value: unknown, { type }: ArgumentMetadata): unknown {
    if (type === 'body' && !isShallow(value, maxDepth)) {
      throw new Problem(422, 'too_deep', `The body is nested over ${maxDepth} levels deep.`);
    }
    return value;
  }
}

/**
 * Whether a JSON value has at most `levels` levels: an object or a list is one, and each inside it one more. A deeper
 * value would overflow the stack of code that walks it.
 */
export function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((entry) => isShallow(entry, levels - 1));
}

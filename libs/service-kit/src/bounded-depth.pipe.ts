import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { isShallow } from './is-shallow.js';
import { Problem } from './problem.js';

const maxDepth = 100;

/** Refuses bodies nested so deep that whoever walks them would overflow the stack. */
@Injectable()
export class BoundedDepthPipe implements PipeTransform {
  transform(value: unknown, { type }: ArgumentMetadata): unknown {
    if (type === 'body' && !isShallow(value, maxDepth)) {
      throw new Problem(422, 'too_deep', `The body is nested over ${maxDepth} levels deep.`);
    }
    return value;
  }
}

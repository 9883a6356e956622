import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import { getMetadataStorage, type ValidationError } from 'class-validator';
import { type FieldError, Problem } from './problem.js';

/**
 * Checks bodies by the decorators of their classes, and leaves JSON of somebody else as it came: Nest's own pipe removes
 * every key named `constructor`, `prototype` or `__proto__`, at any depth, so a tool was called without an argument of
 * that name. What must not be kept is refused by name instead (`SafeContent`), and what is kept is read by own keys.
 */
export class BodyPipe extends ValidationPipe {
  constructor() {
    super({
      whitelist: true,
      forbidNonWhitelisted: true,
      // Read for the names of its fields alone, and not shown.
      validationError: { target: true },
      transform: true,
      exceptionFactory: (errors) =>
        new Problem(422, 'invalid_fields', 'Some fields are not valid.', fieldErrors(errors)),
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const hidden = metadata.type === 'body' ? hideConstructors(value) : [];
    try {
      return await super.transform(value, metadata);
    } finally {
      for (const [object, constructor] of hidden) define(object, constructor, true);
    }
  }

  protected override stripProtoKeys(): void {
    // Named above.
  }
}

/**
 * The transformation asks a value for its `constructor`, and would call what the sender gave. Such a key cannot be seen
 * meanwhile, and keeps its place.
 */
function hideConstructors(value: unknown): [object, unknown][] {
  const hidden: [object, unknown][] = [];
  const open: object[] = isObject(value) ? [value] : [];
  for (let next = open.pop(); next; next = open.pop()) {
    for (const one of Object.values(next)) if (isObject(one)) open.push(one);
    if (!Object.hasOwn(next, 'constructor')) continue;
    hidden.push([next, next.constructor]);
    define(next, Object, false);
  }
  return hidden;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}

function define(object: object, value: unknown, enumerable: boolean): void {
  Object.defineProperty(object, 'constructor', { value, enumerable, configurable: true, writable: true });
}

/** One entry per wrong property, by its path (`credentials.0.fields`). */
function fieldErrors(errors: ValidationError[], parent = ''): FieldError[] {
  return errors.flatMap(({ property, constraints, children, target }) => {
    const field = `${parent}${property}`;
    const own = constraints ? [{ field, message: Object.values(named(constraints, target)).join('; ') }] : [];
    return [...own, ...fieldErrors(children ?? [], `${field}.`)];
  });
}

/** A field that there is none of is refused with those that there are: it is misspelt more often than it is invented. */
function named(constraints: Record<string, string>, target: object | undefined): Record<string, string> {
  if (constraints['whitelistValidation'] === undefined || !target) return constraints;
  const known = getMetadataStorage().getTargetValidationMetadatas(target.constructor, '', false, false);
  const fields = [...new Set(known.map(({ propertyName }) => propertyName))].sort();
  const which = fields.length > 0 ? `the fields here are ${fields.join(', ')}` : 'there are none here';
  return { ...constraints, whitelistValidation: `there is no such field; ${which}` };
}

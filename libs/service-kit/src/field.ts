import { sanitizeName } from '#libs/sanitizer';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateIf,
  ValidateNested,
} from 'class-validator';

interface FieldOptions {
  /** It may be absent: nothing changes, or a default applies. Null is refused unless it is nullable too. */
  optional?: boolean;
  /** Null has a meaning: none, or no longer. */
  nullable?: boolean;
  description?: string;
}

/** Properties of request bodies: one decorator defines the check and the documentation. */
function field(
  options: FieldOptions,
  api: Parameters<typeof ApiProperty>[0],
  checks: PropertyDecorator[],
): PropertyDecorator {
  const described = {
    ...(options.description ? { description: options.description } : {}),
    ...(options.nullable ? { nullable: true } : {}),
  };
  return applyDecorators(
    ApiProperty({ ...api, ...described, required: !options.optional } as Parameters<typeof ApiProperty>[0]),
    ...presence(options),
    ...checks,
  );
}

/** For a property with its own checks: it may be absent. Null is checked like any value, and so refused. */
export const MayBeAbsent = (): PropertyDecorator => ValidateIf((_, value: unknown) => value !== undefined);

function presence({ optional, nullable }: FieldOptions): PropertyDecorator[] {
  if (optional) return [nullable ? IsOptional() : MayBeAbsent()];
  return nullable ? [ValidateIf((_, value: unknown) => value !== null)] : [];
}

export const Text = (maxLength: number, options: FieldOptions & { minLength?: number } = {}): PropertyDecorator =>
  field(options, { type: String, maxLength, minLength: options.minLength ?? 0 }, [
    IsString(),
    MinLength(options.minLength ?? 0),
    MaxLength(maxLength),
  ]);

/** The name of a thing or a person, saved as people see it: `sanitizeName`. One of which nothing shows is refused. */
export const Name = (maxLength: number, options: FieldOptions = {}): PropertyDecorator =>
  applyDecorators(
    Text(maxLength, { ...options, minLength: 1 }),
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? sanitizeName(value) : value), {
      toClassOnly: true,
    }),
  );

export const OneOf = (values: readonly string[], options: FieldOptions = {}): PropertyDecorator =>
  field(options, { type: String, enum: [...values] }, [IsIn([...values])]);

export const Whole = (min: number, max: number, options: FieldOptions = {}): PropertyDecorator =>
  field(options, { type: 'integer', minimum: min, maximum: max }, [IsInt(), Min(min), Max(max)]);

export const Flag = (options: FieldOptions = {}): PropertyDecorator => field(options, { type: Boolean }, [IsBoolean()]);

export const TextList = (maxItems: number, maxLength: number, options: FieldOptions = {}): PropertyDecorator =>
  field(options, { type: [String], maxItems }, [
    IsArray(),
    ArrayMaxSize(maxItems),
    IsString({ each: true }),
    MaxLength(maxLength, { each: true }),
  ]);

/**
 * JSON of somebody else, exactly as it came. Otherwise the transformation into the body's class would leave out each key
 * that every object has, such as `toString`, at any depth.
 */
export const AsGiven = (): PropertyDecorator =>
  Transform(({ obj, key }: { obj: Record<string, unknown>; key: string }) => obj[key], { toClassOnly: true });

export const JsonObject = (options: FieldOptions = {}): PropertyDecorator =>
  field(options, { type: 'object', additionalProperties: true }, [IsObject(), AsGiven()]);

/**
 * A list of objects of a class. Checks that each entry is an object: the check of the fields accepts lists of lists.
 */
export const NestedList = (type: new () => object, maxItems: number, options: FieldOptions = {}): PropertyDecorator =>
  field(options, { type: [type], maxItems }, [
    IsArray(),
    ArrayMaxSize(maxItems),
    IsObject({ each: true }),
    ValidateNested({ each: true }),
    Type(() => type),
  ]);

/** An object of its own class, whose fields are checked by that class's decorators. */
export const Nested = (type: new () => object, options: FieldOptions = {}): PropertyDecorator =>
  field(options, { type }, [IsObject(), ValidateNested(), Type(() => type)]);

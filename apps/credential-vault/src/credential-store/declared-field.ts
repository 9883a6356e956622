import { Flag, Text, Whole } from '#libs/service-kit';
import { Matches } from 'class-validator';

export const fieldNamePattern = /^[a-z][a-z0-9_]{0,63}$/;
export const maxValueBytes = 64 * 1024;

/** A field that a credential of type text must or may have. */
export class DeclaredField {
  @Matches(fieldNamePattern, { message: 'a lower-case letter, then up to 63 of a-z, 0-9 and _' })
  @Text(64, { minLength: 1 })
  name: string;
  @Text(200, { optional: true, description: 'For people' }) label?: string;
  @Flag({ optional: true, description: 'Absent: true' }) required?: boolean;
  @Flag({ optional: true, description: 'Several values, all valid, so that it can be rotated without an outage' })
  list?: boolean;
  @Whole(1, maxValueBytes, { optional: true, description: 'Bytes of one value. Default: 65536' }) max_bytes?: number;
}

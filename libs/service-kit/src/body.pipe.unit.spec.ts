import { Type } from 'class-transformer';
import { IsOptional, IsString, ValidateNested } from 'class-validator';
import { BodyPipe } from './body.pipe.js';

class Address {
  @IsString()
  city!: string;
}

class Person {
  @IsString()
  name!: string;

  @IsOptional()
  @ValidateNested()
  @Type(() => Address)
  address?: Address;
}

const refusalOf = (body: object): Promise<unknown> =>
  new BodyPipe().transform(body, { type: 'body', metatype: Person }).catch((error: unknown) => error);

describe('a body with a field that there is none of', () => {
  it('is refused with the fields that there are', async () => {
    expect(await refusalOf({ nmae: 'Ann', name: 'Ann' })).toMatchObject({
      code: 'invalid_fields',
      errors: [{ field: 'nmae', message: 'there is no such field; the fields here are address, name' }],
    });
  });

  it('is refused with the fields of the object that it is in', async () => {
    expect(await refusalOf({ name: 'Ann', address: { city: 'Rome', zip: '1' } })).toMatchObject({
      errors: [{ field: 'address.zip', message: 'there is no such field; the fields here are city' }],
    });
  });
});

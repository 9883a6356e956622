/** As JSON has it: a date is a text. */
export type Json<T> = T extends Date
  ? string
  : T extends (infer Item)[]
    ? Json<Item>[]
    : T extends object
      ? { [Name in keyof T]: Json<T[Name]> }
      : T;

/** Why a request was refused, as every service says it. */
export interface Refusal {
  code: string;
  detail: string;
  errors: { field: string; message: string }[];
}

/** An answer of a service: its status says whether the body is the view or a refusal. */
export interface Answer<View = unknown> {
  status: number;
  body: Json<View> & Omit<Refusal, keyof View>;
}

/** A table of routes, `GET adapters/${string}` and what it answers with; what is longer stands before what it begins with. */
export type RouteTable = [pattern: string, view: unknown][];

/** What a route answers with, by the first row that fits, whatever its query. */
export type ViewOf<Route extends string, Table extends RouteTable> = Route extends `${infer Path}?${string}`
  ? RowOf<Path, Table>
  : RowOf<Route, Table>;

type RowOf<Path extends string, Table> = Table extends [[infer Pattern, infer View], ...infer Rest]
  ? Path extends Pattern
    ? View
    : RowOf<Path, Rest>
  : unknown;

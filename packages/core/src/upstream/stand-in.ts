/** The object with some of its methods in other words; it is not changed, and whatever is set in it is set in the object. */
export function standIn<T extends object>(object: T, methods: Partial<T>): T {
  return new Proxy(object, {
    get: (target, key) => Reflect.get(Object.hasOwn(methods, key) ? methods : target, key),
  });
}

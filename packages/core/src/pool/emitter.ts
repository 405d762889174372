/** Takes itself off when called; calling it again does nothing. */
export type Unsubscribe = () => void;

/** An object, so that a function which subscribes twice is called twice, and each unsubscribes for itself. */
interface Subscription<Event> {
  readonly listener: (event: Event) => void;
}

/** A typed set of listeners by event name. An event that nobody listens to is not even made. */
export class Emitter<Events extends object> {
  readonly #subscriptions = new Map<keyof Events, Set<Subscription<never>>>();

  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): Unsubscribe {
    const subscriptions = this.#subscriptions.get(name) ?? new Set();
    const subscription = { listener };
    this.#subscriptions.set(name, subscriptions);
    subscriptions.add(subscription);
    return () => void subscriptions.delete(subscription);
  }

  /** Calls the listeners in turn. One that throws is reported as a process warning and disturbs nobody else. */
  emit<Name extends keyof Events>(name: Name, make: () => Events[Name]): void {
    const subscriptions = this.#subscriptions.get(name);
    if (!subscriptions || subscriptions.size === 0) return;
    const event = make();
    for (const { listener } of [...subscriptions] as Subscription<Events[Name]>[]) {
      try {
        listener(event);
      } catch (error) {
        process.emitWarning(`A listener of "${String(name)}" failed: ${error}`, 'PwpoolWarning');
      }
    }
  }
}

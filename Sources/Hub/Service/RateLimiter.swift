/// Lets each of many through so many times, and then so many times a second. Pure: time comes in.
package struct RateLimiter<Key: Hashable & Sendable>: Sendable {
    private struct Bucket {
        var tokens: Double
        var second: Double
    }

    /// How many times at once.
    package let burst: Double
    /// How many times a second in the long run.
    package let perSecond: Double
    private let keyCountMax: Int
    private var buckets: [Key: Bucket] = [:]

    /// - Parameter keyCountMax: How many are told apart. Beyond, those are forgotten who have their whole burst again,
    ///   and then the rest.
    package init(burst: Double, perSecond: Double, keyCountMax: Int = 10_000) {
        (self.burst, self.perSecond, self.keyCountMax) = (burst, perSecond, keyCountMax)
    }

    /// Takes one.
    ///
    /// - Parameter now: Seconds by a clock that never goes back.
    /// - Returns: Nil when it may pass; else after how many whole seconds it may.
    package mutating func take(_ key: Key, now: Double) -> Int? {
        if buckets[key] == nil, buckets.count >= keyCountMax { forget(now: now) }
        var bucket = buckets[key] ?? Bucket(tokens: burst, second: now)
        bucket.tokens = min(burst, bucket.tokens + max(0, now - bucket.second) * perSecond)
        bucket.second = now
        defer { buckets[key] = bucket }
        guard bucket.tokens >= 1 else {
            return perSecond > 0 ? max(1, Int(((1 - bucket.tokens) / perSecond).rounded(.up))) : 3600
        }
        bucket.tokens -= 1
        return nil
    }

    private mutating func forget(now: Double) {
        buckets = buckets.filter { $0.value.tokens + (now - $0.value.second) * perSecond < burst }
        if buckets.count >= keyCountMax { buckets = [:] }
    }
}

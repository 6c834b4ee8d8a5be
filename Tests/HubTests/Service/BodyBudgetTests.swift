import Testing

@testable import Hub

@Suite("Room for bodies")
struct BodyBudgetTests {
    @Test("One account's bodies leave room for another's; what is given back is there again")
    func accounts() throws {
        let budget = BodyBudget()
        let most = BodyBudget.byteCountMax / 2
        var own: BodyBudget.Share? = try budget.share(most - 5, of: .first)
        let more = try budget.share(5, of: .first)
        #expect(throws: HubRefusal.self) { _ = try budget.share(1, of: .first) }
        let other = try budget.share(most / 2, of: AccountID(2))
        #expect(throws: HubRefusal.self) { _ = try budget.share(1, of: AccountID(2)) }
        own = nil
        // What the others leave is more by what was given back.
        let again = try budget.share(most / 2, of: .first)
        let rest = try budget.share(1000, of: AccountID(2))
        withExtendedLifetime((own, more, other, again, rest)) {}
    }

    @Test("Whatever others have, each has one request, and is done with it before the next")
    func everybody() throws {
        let budget = BodyBudget()
        var shares: [BodyBudget.Share] = []
        for number in 1...100 {
            let account = AccountID(number)
            shares.append(try budget.share(1 << 20, of: account))
            while let more = try? budget.share(1 << 20, of: account) { shares.append(more) }
        }
        // Half of all, half of what is left, and so on: then one each.
        #expect(shares.count < 256 + 100)
        for account in [nil, AccountID(101)] {
            var own: BodyBudget.Share? = try budget.share(8 << 20, of: account)
            #expect(throws: HubRefusal.self) { _ = try budget.share(1, of: account) }
            withExtendedLifetime(own) {}
            own = nil
            _ = try budget.share(8 << 20, of: account)
        }
        withExtendedLifetime(shares) {}
    }
}

import Testing

@testable import Hub

@Suite("Room for bodies")
struct BodyBudgetTests {
    @Test("One account's bodies leave room for another's; what is given back is there again")
    func accounts() throws {
        let budget = BodyBudget()
        let most = BodyBudget.accountByteCountMax
        var own: BodyBudget.Share? = try budget.share(most - 5, of: .first)
        let more = try budget.share(5, of: .first)
        #expect(throws: HubRefusal.self) { _ = try budget.share(1, of: .first) }
        let other = try budget.share(most, of: AccountID(2))
        // In all there is no more.
        #expect(throws: HubRefusal.self) { _ = try budget.share(1, of: nil) }
        own = nil
        let again = try budget.share(most - 6, of: .first)
        let unknown = try budget.share(1, of: nil)
        withExtendedLifetime((own, more, other, again, unknown)) {}
    }
}

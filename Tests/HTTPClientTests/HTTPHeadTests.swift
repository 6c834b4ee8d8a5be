import Testing

@testable import HTTPClient

@Suite("The head of an answer")
struct HTTPHeadTests {
    private func head(_ lines: [String]) -> HTTPHead {
        var head = HTTPHead()
        for line in lines { Array("\(line)\r\n".utf8).withUnsafeBytes { head.take($0) } }
        return head
    }

    @Test("Fields are found by their names in small letters, without what is around them")
    func fields() {
        let head = head([
            "HTTP/1.1 200 OK", "Date: Sun, 06 Nov 1994 08:49:37 GMT", "X-Empty:", "A:\t b c  ", "",
        ])
        #expect(head.fields == ["date": "Sun, 06 Nov 1994 08:49:37 GMT", "x-empty": "", "a": "b c"])
    }

    @Test("Of several with one name the last counts, and of several heads")
    func last() {
        #expect(head(["HTTP/1.1 200 OK", "a: 1", "A: 2", ""]).fields == ["a": "2"])
        let both = head(["HTTP/1.1 100 Continue", "a: 1", "b: 1", "", "HTTP/1.1 200 OK", "a: 2", ""])
        #expect(both.fields == ["a": "2"])
    }

    @Test("What is no field is passed over")
    func others() {
        #expect(HTTPHead().fields == [:])
        #expect(head(["HTTP/1.1 200", "nothing", "", "a: \u{e9}"]).fields == ["a": "\u{e9}"])
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

// Tokens for devnets, with 6 decimals and an issuer who mints and freezes. They behave as the real ones do
// where that matters to a payout: what `transfer` returns, and what the freeze list is called.

abstract contract IssuedToken {
    string public name;
    string public symbol;
    uint8 public constant decimals = 6;
    uint256 public totalSupply;
    address public immutable issuer;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => bool) internal frozen;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(string memory name_, string memory symbol_) {
        name = name_;
        symbol = symbol_;
        issuer = msg.sender;
    }

    modifier onlyIssuer() {
        require(msg.sender == issuer, "caller is not the issuer");
        _;
    }

    function mint(address to, uint256 value) external onlyIssuer {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function setFrozen(address account, bool isFrozen) external onlyIssuer {
        frozen[account] = isFrozen;
    }

    function move(address from, address to, uint256 value) internal {
        require(!frozen[from] && !frozen[to], "account is frozen");
        require(to != address(0), "transfer to the zero address");
        require(balanceOf[from] >= value, "transfer exceeds balance");
        unchecked {
            balanceOf[from] -= value;
            balanceOf[to] += value;
        }
        emit Transfer(from, to, value);
    }

    function spend(address from, uint256 value) internal {
        uint256 allowed = allowance[from][msg.sender];
        require(allowed >= value, "transfer exceeds allowance");
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
    }

    function permitSpender(address spender, uint256 value) internal {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
    }
}

// As USDC and EURC: the standard's return values.
contract StandardToken is IssuedToken {
    constructor(string memory name_, string memory symbol_) IssuedToken(name_, symbol_) {}

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        spend(from, value);
        move(from, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        permitSpender(spender, value);
        return true;
    }

    function isBlacklisted(address account) external view returns (bool) {
        return frozen[account];
    }
}

// As USDT: transfer, transferFrom and approve return nothing at all.
contract SilentToken is IssuedToken {
    constructor(string memory name_, string memory symbol_) IssuedToken(name_, symbol_) {}

    function transfer(address to, uint256 value) external {
        move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external {
        spend(from, value);
        move(from, to, value);
    }

    function approve(address spender, uint256 value) external {
        permitSpender(spender, value);
    }

    function isBlackListed(address account) external view returns (bool) {
        return frozen[account];
    }
}
